package sstables

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// disk is what a node has: bytes at tokens, and a chunk for whatever is asked.
type disk struct {
	at    map[uint64]int64
	chunk int64
	asked int
	came  []int64
}

// bytes is what is announced of ranges.
func (d *disk) bytes(ranges []token.Range) int64 {
	bytes := d.chunk
	for t, n := range d.at {
		for _, r := range ranges {
			if r.Contains(token.Token{Lo: t}) {
				bytes += n
			}
		}
	}
	return bytes
}

// fetch is a Fetch.
func (d *disk) fetch(_ context.Context, p Piece, most int64) (Fetched, error) {
	d.asked++
	bytes := d.bytes(p.Ranges)
	if most > 0 && bytes > most {
		return Fetched{}, &TooLargeError{bytes}
	}
	d.came = append(d.came, bytes)
	return Fetched{Files: []File{named{name: "x"}}, Bytes: bytes}, nil
}

// readAllOf reads ranges in their order, each part by part, and returns the parts.
func readAllOf(t *testing.T, p *Pieces, ranges []token.Range) (parts []token.Range) {
	t.Helper()
	for _, r := range ranges {
		for r.Start.Less(r.End) {
			within := r
			_, done, err := p.Of(t.Context(), within)
			if part := (*PartError)(nil); err != nil {
				require.ErrorAs(t, err, &part)
				require.Equal(t, r.Start, part.Part.Start)
				within = part.Part
				_, done, err = p.Of(t.Context(), within)
			}
			require.NoError(t, err)
			done()
			parts = append(parts, within)
			r.Start = within.End
		}
	}
	return parts
}

// If a node announces more of a piece than is wanted, the piece is cut until what comes at once is
// small. It is also cut within its ranges. Every token is fetched once.
func TestPiecesAreCutByWhatIsAnnounced(t *testing.T) {
	const tokens, target = 1 << 20, 1000
	for _, c := range []struct {
		name  string
		at    func(r *rand.Rand) map[uint64]int64
		chunk int64
		most  int64 // bytes that came at once
		asked int   // sessions
	}{
		{"spread evenly", func(r *rand.Rand) map[uint64]int64 {
			at := make(map[uint64]int64)
			for range 10_000 {
				at[1+r.Uint64N(tokens)] += 10
			}
			return at
		}, 0, 1500, 160},
		{"little", func(*rand.Rand) map[uint64]int64 { return map[uint64]int64{5: 1400} }, 0, 1400, 2},
		{"at one end", func(r *rand.Rand) map[uint64]int64 {
			at := make(map[uint64]int64)
			for range 1000 {
				at[tokens-r.Uint64N(tokens/8)] += 50
			}
			return at
		}, 0, 1500, 300},
		{"a large partition", func(r *rand.Rand) map[uint64]int64 {
			at := map[uint64]int64{tokens / 3: 50_000}
			for range 1000 {
				at[1+r.Uint64N(tokens)] += 10
			}
			return at
		}, 0, 52_000, 120},
		{"many large partitions", func(r *rand.Rand) map[uint64]int64 {
			at := make(map[uint64]int64)
			for range 30 {
				at[1+r.Uint64N(tokens)] = 9_000
			}
			return at
		}, 0, 18_000, 300},
		{"large chunks", func(r *rand.Rand) map[uint64]int64 {
			at := make(map[uint64]int64)
			for range 1000 {
				at[1+r.Uint64N(tokens)]++
			}
			return at
		}, 5000, 6100, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &disk{at: c.at(rand.New(rand.NewPCG(1, 2))), chunk: c.chunk}
				pieces := []Piece{
					{[]token.Range{between(0, tokens/2), between(tokens/2, tokens/2+10)}},
					{[]token.Range{between(tokens/2+10, tokens)}},
				}
				p := FetchPieces(t.Context(), pieces, target, d.fetch)
				parts := readAllOf(
					t,
					p,
					[]token.Range{pieces[0].Ranges[0], pieces[0].Ranges[1], pieces[1].Ranges[0]},
				)
				require.Equal(t, []token.Range{between(0, tokens)}, token.Merge(parts))
				var sum, all int64
				for _, n := range d.came {
					require.LessOrEqual(t, n, c.most)
					sum += n - c.chunk
				}
				for _, n := range d.at {
					all += n
				}
				require.Equal(t, all, sum, "each token is fetched once")
				require.LessOrEqual(t, d.asked, c.asked)
				require.NoError(t, p.Close())
			})
		})
	}
}

// Slices gives what was fetched at once, one after the other, as it is read.
func TestSlicesOfPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{at: map[uint64]int64{10: 900, 30: 900, 50: 900, 70: 900}}
		p := FetchPieces(
			t.Context(),
			[]Piece{{[]token.Range{between(0, 40)}}, {[]token.Range{between(40, 80)}}},
			1000,
			d.fetch,
		)
		var all []token.Range
		for ranges, err := range p.Slices(t.Context()) {
			require.NoError(t, err)
			require.Equal(t, ranges, readAllOf(t, p, ranges), "none is cut any more")
			all = append(all, ranges...)
		}
		require.Greater(t, len(all), 3)
		require.Equal(t, []token.Range{between(0, 80)}, token.Merge(all))
		require.NoError(t, p.Close())

		ctx, cancel := context.WithCancel(t.Context())
		p = FetchPieces(
			t.Context(),
			[]Piece{{[]token.Range{between(0, 40)}}},
			0,
			func(ctx context.Context, _ Piece, _ int64) (Fetched, error) {
				<-ctx.Done()
				return Fetched{}, ctx.Err()
			},
		)
		cancel()
		for _, err := range p.Slices(ctx) {
			require.ErrorIs(t, err, context.Canceled)
		}
		require.NoError(t, p.Close())
	})
}

// FuzzCutter cuts a piece of a table. Each node also announces a chunk for whatever is asked. Every
// token is fetched once, in few sessions.
func FuzzCutter(f *testing.F) {
	f.Add(uint64(1), uint16(1000), uint32(10), uint32(0))
	f.Add(uint64(2), uint16(30), uint32(9_000), uint32(10))
	f.Add(uint64(3), uint16(2), uint32(60_000), uint32(5_000))
	f.Add(uint64(4), uint16(300), uint32(1_400), uint32(1_600))
	f.Fuzz(func(t *testing.T, seed uint64, partitions uint16, size, chunk uint32) {
		const target = 1000
		r := rand.New(rand.NewPCG(seed, 1))
		d := &disk{at: make(map[uint64]int64), chunk: int64(chunk % 10_000)}
		var all, large int64
		for range partitions % 2000 {
			n := r.Int64N(int64(size%100_000) + 1)
			d.at[1+r.Uint64N(1<<30)] += n
			all += n
			if n > target/4 {
				large++
			}
		}
		c := newCutter(target)
		left := []token.Range{between(0, 1<<29), between(1<<29, 1<<30)}
		c.begin(left)
		for len(left) > 0 {
			some, rest, most := c.take(left)
			came, err := d.fetch(t.Context(), Piece{some}, most)
			if err != nil {
				require.ErrorAs(t, err, new(*TooLargeError))
				c.refused(d.bytes(some))
				continue
			}
			c.fetched(came.Bytes)
			left = rest
		}
		var came int64
		for _, n := range d.came {
			came += n - d.chunk
		}
		require.Equal(t, all, came, "each token is fetched once")
		require.LessOrEqual(t, int64(d.asked), 40+15*large+5*all/target)
	})
}
