package sstable

import (
	"bytes"
	"testing"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// fuzzCodecs are those that the fuzz targets choose from by number; new ones go to the end, so that
// the saved inputs keep their meaning.
func fuzzCodecs(t testing.TB) []*Codec {
	var codecs []*Codec
	for _, g := range goldens(t) {
		codecs = append(codecs, g.codec)
	}
	return append(
		codecs,
		small(t, component.OA),
		elements(t, component.NB),
		elements(t, component.OA),
		manyColumns(t, 65),
	)
}

// fuzzSeed is the most bytes of a seed. The fuzzer is slow with long ones.
const fuzzSeed = 700

// FuzzDecoder checks that any bytes are read to an end, and that what was read, written again, is
// read and written alike.
func FuzzDecoder(f *testing.F) {
	codecs := fuzzCodecs(f)
	for i, g := range goldens(f) {
		if len(g.data) <= fuzzSeed {
			f.Add(byte(i), g.data)
		}
	}
	f.Add(byte(20), testkit.Unhex(f, "0004 00000001 80 24 00 00000002 06 09 00 08 02 6869 01"))
	f.Fuzz(func(t *testing.T, table byte, data []byte) {
		c := codecs[int(table)%len(codecs)]
		once, err := rewrite(c, bytes.NewReader(data))
		if err != nil {
			return
		}
		twice, err := rewrite(c, bytes.NewReader(once))
		require.NoError(t, err)
		require.Equal(t, once, twice)
	})
}

// FuzzDecodeRow checks the same of encoded rows, and that they have an order.
func FuzzDecodeRow(f *testing.F) {
	codecs := fuzzCodecs(f)
	for i, c := range codecs {
		r := Row{Liveness: Liveness{Set: true, Timestamp: stamp}}
		for range c.Schema().Table().Clustering {
			r.Clustering = append(r.Clustering, emptyValue)
		}
		encoded, err := c.AppendRow(nil, &r)
		require.NoError(f, err)
		f.Add(byte(i), encoded, encoded)
	}
	f.Fuzz(func(t *testing.T, table byte, a, b []byte) {
		c := codecs[int(table)%len(codecs)]
		require.Zero(t, c.Schema().CompareEncoded(a, a))
		require.Equal(t, c.Schema().CompareEncoded(a, b) < 0, c.Schema().CompareEncoded(b, a) > 0)
		var row, back Row
		if c.DecodeRow(a, &row) != nil {
			return
		}
		once, err := c.AppendRow(nil, &row)
		require.NoError(t, err)
		require.NoError(t, c.DecodeRow(once, &back))
		twice, err := c.AppendRow(nil, &back)
		require.NoError(t, err)
		require.Equal(t, once, twice)
		// A row that is merged with itself loses at most what its own deletions take.
		m := NewMerger(c.Schema())
		m.Reset(Deletion{})
		m.Add(&row)
		m.Add(&row)
		require.LessOrEqual(t, len(m.Row().Cells), len(row.Cells))
	})
}

// FuzzDecodeHeader checks that a header that is read can be planned or is refused, and is written
// as it is read.
func FuzzDecodeHeader(f *testing.F) {
	for _, g := range goldens(f) {
		if len(g.header) <= fuzzSeed {
			f.Add(g.header)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		table, minima, err := DecodeHeader(b)
		if err != nil {
			return
		}
		s, err := Plan(table)
		if err != nil {
			return
		}
		c, err := NewCodec(s, component.NB, minima)
		require.NoError(t, err)
		once := c.AppendHeader(nil)
		table, minima, err = DecodeHeader(once)
		require.NoError(t, err)
		s, err = Plan(table)
		require.NoError(t, err)
		c, err = NewCodec(s, component.NB, minima)
		require.NoError(t, err)
		require.Equal(t, once, c.AppendHeader(nil))
	})
}

// FuzzInsert checks that rows are made of any values or refused, and that what is made is read
// back.
func FuzzInsert(f *testing.F) {
	c := mustCodec(f, &Table{
		Key: []Column{
			column(f, "k", "frozen<set<int>>"),
		},
		Clustering: []Column{column(f, "c", "decimal")},
		Statics:    []Column{column(f, "s", "map<int, frozen<list<text>>>")},
		Regulars: []Column{
			column(
				f,
				"l",
				"list<int>",
			),
			column(f, "s2", "set<decimal>"),
			column(f, "u", "two"),
			column(f, "v", "text"),
			column(
				f,
				"f",
				"frozen<map<int, int>>",
			),
			column(f, "t", "tuple<int, frozen<set<int>>, tuple<frozen<set<int>>>>"),
		},
	}, component.NB, Minima{Timestamp: stamp, Time: now})
	names := []string{"k", "c", "s", "l", "s2", "u", "v", "f", "t"}
	f.Add(
		[]byte{0, 0, 0, 1, 0, 0, 0, 1, 7},
		[]byte{0, 0, 0, 0, 1},
		[]byte{0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0},
		uint32(0x2aaa),
		int64(stamp),
		int32(60),
		int64(now),
	)
	f.Add(
		[]byte{0, 0, 0, 0},
		[]byte{},
		[]byte{255, 255, 255, 255},
		uint32(0x1a1a),
		int64(-1),
		int32(0),
		int64(0),
	)
	f.Fuzz(
		func(
			t *testing.T,
			a,
			b,
			wire []byte,
			states uint32,
			timestamp int64,
			ttl int32,
			now int64,
		) {
			in, err := NewInserter(c, names, InsertOptions{AppendCollections: states>>31 != 0})
			require.NoError(t, err)
			st := Insert{Timestamp: timestamp, TTL: ttl, Now: now}
			for i := range names {
				v := Value{
					Bytes: [][]byte{a, b, wire}[min(i, 2)],
					State: State(states >> (2 * i) & 3 % 3),
				}
				st.Values = append(st.Values, v)
			}
			if key, err := in.AppendKey(nil, st.Values); err == nil {
				require.NotEmpty(t, key)
			}
			more := st
			more.Timestamp++
			static, row, err := in.Insert(st, more)
			if err != nil {
				return
			}
			for _, r := range []*Row{static, row} {
				if r != nil {
					requireReadBack(t, c, r)
					require.Equal(t, r == static, r.Static)
				}
			}
		},
	)
}

// A header whose columns are in another order is read in the order of its file, which is always the
// same.
func TestColumnsAreOrderedSimpleOnesFirst(t *testing.T) {
	s, err := Plan(&Table{
		Key: []Column{{Type: &cqltype.Type{Kind: cqltype.Int}}},
		Regulars: []Column{
			column(
				t,
				"z",
				"int",
			),
			column(t, "a", "list<int>"),
			column(t, "b", "frozen<list<int>>"),
			column(t, "B", "tuple<int>"),
			column(t, "é", "int"),
			column(t, "A", "two"),
			column(t, "c", "vector<int, 2>"),
		},
	})
	require.NoError(t, err)
	var names []string
	for _, c := range s.Table().Regulars {
		names = append(names, c.Name)
	}
	require.Equal(t, []string{"B", "b", "c", "z", "é", "A", "a"}, names)
}
