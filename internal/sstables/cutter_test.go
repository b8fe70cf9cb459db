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

// fetch is a Fetch.
func (d *disk) fetch(_ context.Context, p Piece, most int64) (Fetched, error) {
	d.asked++
	bytes := d.chunk
	for t, n := range d.at {
		for _, r := range p.Ranges {
			if r.Contains(token.Token{Lo: t}) {
				bytes += n
			}
		}
	}
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
				at[tokens-r.Uint64N(tokens/1000)] += 50
			}
			return at
		}, 0, 1500, 300},
		{"a large partition", func(r *rand.Rand) map[uint64]int64 {
			at := map[uint64]int64{tokens / 3: 50_000}
			for range 1000 {
				at[1+r.Uint64N(tokens)] += 10
			}
			return at
		}, 0, 50_100, 120},
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
