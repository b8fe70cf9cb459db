package stream

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// noNode takes files and does nothing with them.
type noNode struct{}

func (noNode) Send(context.Context, string, File) error { return nil }

// BenchmarkTarget takes short rows of a partition each from cells to files that are ready to be
// sent, row by row or whole.
func BenchmarkTarget(b *testing.B) {
	const count, perPiece = 200_000, 10_000
	emp := schema.New("demo", "emp", []schema.Column{
		tabletest.Column(
			"id",
			schema.PartitionKey,
			0,
			"int",
		),
		tabletest.Column("name", schema.Regular, 0, "text"),
		tabletest.Column("salary", schema.Regular, 0, "bigint"),
	})
	p := &pieces{}
	var all [][]*write.Row
	for i := range count {
		if i%perPiece == 0 {
			all = append(all, nil)
		}
		key := binary.BigEndian.AppendUint32(nil, uint32(i))
		all[len(all)-1] = append(all[len(all)-1], &write.Row{Tracker: p, Row: row.Row{
			Cells: []row.Cell{
				{
					Bytes: key,
					State: row.Set,
				},
				{Bytes: fmt.Appendf(nil, "name %d", i*7919%1_000_000), State: row.Set},
				{Bytes: binary.BigEndian.AppendUint64(nil, uint64(i)), State: row.Set},
			},
			Timestamp: 1_700_000_000_000_000 + int64(i), Token: token.Murmur3.Hash(key),
		}})
	}
	for name, whole := range map[string]*WholeOptions{
		"rows": nil, "whole": {FilterChance: 0.01, IndexInterval: 128, Compression: component.Compression{Compressor: component.LZ4Compressor, ChunkLength: 16 << 10}},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				o := Options{
					Table:     emp,
					Clock:     func() time.Time { return time.Unix(1_700_000_000, 0) },
					Timestamp: 1_700_000_000_000_000,
					Memory:    64 << 20,
					Dir:       b.TempDir(),
					Sender:    noNode{},
					Whole:     whole,
				}
				o.Placement, o.Nodes = ring(b)
				tg, err := New(o)
				require.NoError(b, err)
				in := tg.Intake(emp.Columns)
				for _, rows := range all {
					require.NoError(b, in.Put(context.Background(), rows))
				}
				tg.Finish()
				require.NoError(b, tg.Run(context.Background()))
			}
			b.ReportMetric(count*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
