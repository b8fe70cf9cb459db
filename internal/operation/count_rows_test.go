package operation

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// A partition that no server counts in time is counted row by row, beside others that are counted
// by the servers.
func TestCountOfAPartitionThatTakesTooLong(t *testing.T) {
	table := simcluster.Table{Name: "albums", Columns: []simcluster.Column{
		{
			Name: "id",
			Kind: simcluster.PartitionKey,
			Type: "text",
		},
		{Name: "number", Kind: simcluster.Clustering, Type: "int"},
		{Name: "title", Kind: simcluster.Static, Type: "text"},
	}}
	add := func(id string, rows int) {
		for i := range rows {
			table.Data = append(
				table.Data,
				[][]byte{
					[]byte(id),
					binary.BigEndian.AppendUint32(nil, uint32(i)),
					[]byte("title"),
				},
			)
		}
	}
	add("large", 2500)
	for i := range 20 {
		add(fmt.Sprint("small ", i), i+1)
	}
	for _, by := range []string{"", spec.ByPartition, spec.ByHost} {
		s := openShopOn(t, simcluster.Options{Cores: 1, Tables: []simcluster.Table{table}})
		large := token.Murmur3.Hash([]byte("large"))
		late := s.cluster.Inject(
			simcluster.Rule{Fault: simcluster.ReadTimeout, Match: func(r simcluster.Request) bool {
				return strings.Contains(r.Statement, "count(*)") && r.Range.Start.Less(large) &&
					!r.Range.End.Less(large)
			}},
		)
		settings := spec.NewCount()
		settings.Connection = s.connection
		settings.TableName = spec.TableName{
			Keyspace: "shop",
			Table:    "albums",
		}
		settings.By = by
		settings.Top = 3
		count, err := PrepareCount(t.Context(), s.env, *settings)
		require.NoError(t, err)
		defer count.Close()
		report, err := count.Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, run.Done, report.Outcome, "%v", report.Failed)
		require.EqualValues(t, 2500+20*21/2, report.Rows)
		require.LessOrEqual(t, late.Hits(), 2*countTimeouts, "of the range, and of a part of it")
		require.Zero(t, count.Counters().Failed.Load())
		require.Equal(t, count.Counters().Total.Load(), count.Counters().Done.Load())
		switch by {
		case spec.ByPartition:
			require.Equal(t, []PartitionRows{
				{
					Key:  [][]byte{[]byte("large")},
					Rows: 2500,
				},
				{Key: [][]byte{[]byte("small 19")}, Rows: 20},
				{Key: [][]byte{[]byte("small 18")}, Rows: 19},
			}, report.Partitions)
		case spec.ByHost:
			var rows int64
			for _, h := range report.Hosts {
				rows += h.Rows
			}
			require.Equal(t, report.Rows, rows)
		}
	}
}
