package token

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzParse(f *testing.F) {
	for _, s := range []string{"0", "-1", "-9223372036854775808", "9223372036854775808", "170141183460469231731687303715884105728", "+7", "", "1x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, p := range []Partitioner{Murmur3, Random} {
			v, err := p.Parse(s)
			if err != nil {
				continue
			}
			require.False(t, v.Less(p.Min()) || p.Max().Less(v), s)
			requireRoundTrip(t, p, v)
		}
	})
}

func requireRoundTrip(t *testing.T, p Partitioner, v Token) {
	t.Helper()
	reparsed, err := p.Parse(string(p.Append(nil, v)))
	require.NoError(t, err)
	require.Equal(t, v, reparsed)
	reparsed, err = p.ReadWire(p.AppendWire(nil, v))
	require.NoError(t, err)
	require.Equal(t, v, reparsed)
}

func FuzzReadWire(f *testing.F) {
	for _, b := range [][]byte{
		nil, {0}, {0xff}, {0x80}, {0, 0x80}, make([]byte, 8), make([]byte, 17),
	} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, p := range []Partitioner{Murmur3, Random} {
			if v, err := p.ReadWire(b); err == nil {
				require.False(t, p.Max().Less(v))
				requireRoundTrip(t, p, v)
			}
		}
	})
}

func FuzzHash(f *testing.F) {
	f.Add([]byte{}, uint64(0))
	f.Add([]byte("hello"), uint64(1))
	f.Add([]byte("\xff\x80 more than one block of bytes"), uint64(1)<<63)
	f.Fuzz(func(t *testing.T, key []byte, v uint64) {
		for _, p := range []Partitioner{Murmur3, Random} {
			h := p.Hash(key)
			require.False(t, p.Max().Less(h))
			require.Equal(t, len(key) == 0, h == p.Min())
			requireRoundTrip(t, p, h)
		}
		if v != 0 {
			require.Equal(t, Token{Lo: v}, Murmur3.Hash(AppendMurmur3Key(nil, Token{Lo: v})))
		}
	})
}

// FuzzPlan builds a ring from the words in data, plans it, and checks the cover.
func FuzzPlan(f *testing.F) {
	f.Add([]byte("eight by"), uint16(10), uint64(1))
	f.Add(
		[]byte(
			"\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x01",
		),
		uint16(100),
		uint64(2),
	)
	f.Fuzz(func(t *testing.T, data []byte, want uint16, seed uint64) {
		for _, p := range []Partitioner{Murmur3, Random} {
			nodes := []Node{{ID: "a"}, {ID: "b"}, {ID: "c"}}
			taken := make(map[Token]bool)
			for i := 0; len(data)-i*8 >= 8 && i < 256; i++ {
				v := Token{Lo: binary.BigEndian.Uint64(data[i*8:])}
				if p == Random {
					v = Token{Hi: v.Lo >> 1, Lo: v.Lo * 7}
				}
				if !taken[v] {
					taken[v] = true
					nodes[i%3].Tokens = append(nodes[i%3].Tokens, v)
				}
			}
			r, err := NewRing(p, nodes)
			if len(taken) == 0 {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			placed := r.Place(Strategy{kind: kindSimple, factor: 2})
			splits := placed.Plan(int(want%4096), seed)
			requirePlan(t, placed, int(want%4096), splits)
			for _, s := range splits {
				require.Equal(t, s.Set, placed.Find(s.Range.End))
			}
			gap := rangesOf(splits)[1:]
			require.ErrorContains(t, Cover(p, Whole(p), gap), "gap")
			double := append(rangesOf(splits), splits[0].Range)
			require.ErrorContains(t, Cover(p, Whole(p), double), "overlap")
		}
	})
}
