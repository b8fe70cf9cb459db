package ingest_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// pair is a user type of two ints, frozen or not.
func pair(frozen bool) *cqltype.Type {
	number, err := cqltype.Parse(
		"int",
		func(string) (*cqltype.Type, error) { return nil, errors.New("no user types") },
	)
	if err != nil {
		panic(err)
	}
	return &cqltype.Type{
		Kind:       cqltype.UDT,
		Keyspace:   "demo",
		Name:       "pair",
		FieldNames: []string{"a", "b"},
		Elems:      []*cqltype.Type{number, number},
		Frozen:     frozen,
	}
}

// Unless they are frozen, the servers keep no collection without elements, and all fields of a user
// type. The checksum is that of what a scan will read.
func TestSumIsOfWhatIsKept(t *testing.T) {
	one, none := binary.BigEndian.AppendUint32(nil, 1), binary.BigEndian.AppendUint32(nil, 0)
	key := []byte("a")
	field := func(n uint32) []byte {
		return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 4), n)
	}
	null := []byte{0xff, 0xff, 0xff, 0xff}
	for _, tc := range []struct {
		cql, text string
		kept      []byte
	}{
		{"list<int>", "[]", nil},
		{"set<int>", "{}", nil},
		{"map<int, int>", "{}", nil},
		{"list<int>", "[1]", append(one, field(1)...)},
		{"frozen<list<int>>", "[]", none},
		{"frozen<set<int>>", "{}", none},
		{"frozen<map<int, int>>", "{}", none},
		{"pair", "{}", nil},
		{"pair", "{a: null, b: null}", nil},
		{"pair", "{a: 1}", append(field(1), null...)},
		{"pair", "{b: 2}", append(null[:4:4], field(2)...)},
		{"pair", "{a: 1, b: 2}", append(field(1), field(2)...)},
		{"frozen<pair>", "{a: 1}", field(1)},
		{"frozen<pair>", "{}", []byte{}},
	} {
		t.Run(tc.cql+" "+tc.text, func(t *testing.T) {
			column := schema.Column{Name: "v", Kind: schema.Regular}
			switch tc.cql {
			case "pair":
				column.Type = pair(false)
			case "frozen<pair>":
				column.Type = pair(true)
			default:
				column = tabletest.Column("v", schema.Regular, 0, tc.cql)
			}
			table := schema.New(
				"demo",
				"t",
				[]schema.Column{tabletest.Column("k", schema.PartitionKey, 0, "text"), column},
			)
			job, c, _ := loadtest.NewJob(table, fmt.Sprintf("k,v\na,\"%s\"\n", tc.text))
			result := loadtest.MustRun(t, job, c)
			require.EqualValues(t, 1, result.Written)
			want := rowsum.New([]*cqltype.Type{table.Columns[0].Type, column.Type}).
				Row([][]byte{key, tc.kept})
			require.Equal(t, want, result.Sum)
		})
	}
}
