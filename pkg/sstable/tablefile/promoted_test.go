package tablefile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// keyOne is the partition key of the int 1.
var keyOne = []byte{0, 0, 0, 1}

// intPrefix is the clustering of a row of one int: a kind, a header, and the value.
func intPrefix(b []byte) int { return min(6, len(b)) }

func TestPromotedIndex(t *testing.T) {
	prefix := func(i byte) []byte { return []byte{4, 0, 0, 0, 0, i} }
	p := &promotedIndex{HeaderLength: 17, Blocks: []sstable.Block{
		{First: prefix(0), Last: prefix(9), Offset: 17, Width: 65538},
		{
			First:  prefix(10),
			Last:   prefix(11),
			Offset: 65555,
			Width:  22426,
			Open:   sstable.Deletion{Set: true, Timestamp: 5, Time: 6},
		},
	}}
	for _, v := range []component.Version{component.NB, component.OA} {
		b, err := appendPromotedIndex(nil, p, v)
		require.NoError(t, err)
		again, err := parsePromotedIndex(b, v, intPrefix)
		require.NoError(t, err)
		require.Equal(t, p, again)
		_, err = parsePromotedIndex(b[:len(b)-1], v, intPrefix)
		require.Error(t, err)
	}
	b, err := appendPromotedIndex(nil, p, component.NB)
	require.NoError(t, err)
	require.Equal(
		t,
		testkit.Unhex(t, "11 7fffffff8000000000000000 02 040000000000 040000000009 11 04 00"),
		b[:1+12+1+6+6+1+1+1],
	)
}

// versionOf makes a version of any number.
func versionOf(n uint8) component.Version {
	return component.MC + component.Version(n)%component.OA
}

func FuzzParsePromotedIndex(f *testing.F) {
	f.Add(
		testkit.Unhex(f, "11 7fffffff8000000000000000 01 040000000000 040000000009 11 04 00 00000000"),
		uint8(4),
	)
	f.Add(
		testkit.Unhex(f, "11 80 01 040000000000 040000000009 11 04 01 0000000000000005 00000006 00000000"),
		uint8(5),
	)
	f.Add(testkit.Unhex(f, "11 80 ff7fffffffffffffff"), uint8(5))
	f.Fuzz(func(t *testing.T, b []byte, n uint8) {
		v := versionOf(n)
		p, err := parsePromotedIndex(b, v, intPrefix)
		if err != nil {
			return
		}
		again, err := appendPromotedIndex(nil, p, v)
		require.NoError(t, err)
		require.Equal(t, b, again)
	})
}
