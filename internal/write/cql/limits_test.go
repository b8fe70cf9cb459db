package cql

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// row1 is a row of a size at a token.
func row1(set *write.Replicas, at uint64, size int) *write.Row {
	return &write.Row{Row: row.Row{Token: token.Token{Lo: at}}, Replicas: set, MutationSize: size}
}

func TestCut(t *testing.T) {
	a, b := &write.Replicas{Index: 0}, &write.Replicas{Index: 1}
	limits := Limits{MaxRows: 4, Partitions: 2, Bytes: 100, PartitionBytes: 1000}
	for _, tc := range []struct {
		name string
		rows []*write.Row
		want []int // rows of each batch
	}{
		{"one", []*write.Row{row1(a, 1, 10)}, []int{1}},
		{"one larger than all bounds", []*write.Row{row1(a, 1, 9999), row1(a, 1, 9999)}, []int{1, 1}},
		{"rows", []*write.Row{row1(a, 1, 1), row1(a, 1, 1), row1(a, 1, 1), row1(a, 1, 1), row1(a, 1, 1)}, []int{4, 1}},
		{"one partition may be large", []*write.Row{row1(a, 1, 400), row1(a, 1, 600), row1(a, 1, 1)}, []int{2, 1}},
		{"several may not", []*write.Row{row1(a, 1, 60), row1(a, 2, 40), row1(a, 3, 1)}, []int{2, 1}},
		{"several, a byte too many", []*write.Row{row1(a, 1, 60), row1(a, 2, 41)}, []int{1, 1}},
		{"a large partition takes no other in", []*write.Row{row1(a, 1, 101), row1(a, 2, 1), row1(a, 3, 1)}, []int{1, 2}},
		{"partitions", []*write.Row{row1(a, 1, 1), row1(a, 2, 1), row1(a, 3, 1)}, []int{2, 1}},
		{"replicas", []*write.Row{row1(a, 1, 1), row1(b, 2, 1), row1(b, 2, 1)}, []int{1, 2}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []int
			for from := 0; from < len(tc.rows); {
				to := limits.cut(tc.rows, from)
				got = append(got, to-from)
				from = to
			}
			require.Equal(t, tc.want, got)
		})
	}
}
