package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

func TestCellSize(t *testing.T) {
	list := []byte{0, 0, 0, 2, 0, 0, 0, 1, 'a', 0, 0, 0, 1, 'b'}
	udt := &cqltype.Type{Kind: cqltype.UDT, Name: "u", FieldNames: []string{"a", "b", "c"}}
	frozen := *udt
	frozen.Frozen = true
	for _, tc := range []struct {
		typ  *cqltype.Type
		wire []byte
		want int
	}{
		{tabletest.Column("x", schema.Regular, 0, "int").Type, []byte{0, 0, 0, 9}, cellOverhead + 4},
		{tabletest.Column("x", schema.Regular, 0, "text").Type, nil, cellOverhead},
		{tabletest.Column("x", schema.Regular, 0, "list<text>").Type, list, cellOverhead + len(list) + 2*elementOverhead},
		{tabletest.Column("x", schema.Regular, 0, "frozen<list<text>>").Type, list, cellOverhead + len(list)},
		{tabletest.Column("x", schema.Regular, 0, "set<text>").Type, []byte{0, 0, 0, 0}, cellOverhead + 4},
		{tabletest.Column("x", schema.Regular, 0, "map<int, int>").Type, list, cellOverhead + len(list) + 2*elementOverhead},
		{udt, list, cellOverhead + len(list) + 3*elementOverhead},
		{&frozen, list, cellOverhead + len(list)},
	} {
		t.Run(
			tc.typ.String(),
			func(t *testing.T) { require.Equal(t, tc.want, shapeOf(tc.typ).size(tc.wire)) },
		)
	}
}
