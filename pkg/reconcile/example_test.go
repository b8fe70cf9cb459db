package reconcile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/reconcile"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// Two files have a row of the partition 1: in the second one it was written again, and another row
// deleted.
func Example() {
	integer, text := &cqltype.Type{Kind: cqltype.Int}, &cqltype.Type{Kind: cqltype.Text}
	schema, err := sstable.Plan(&sstable.Table{
		Key: []sstable.Column{
			{Name: "k", Type: integer},
		},
		Clustering: []sstable.Column{{Name: "c", Type: integer}},
		Regulars:   []sstable.Column{{Name: "v", Type: text}},
	})
	check(err)
	codec, err := sstable.NewCodec(
		schema,
		component.NB,
		sstable.Minima{Timestamp: 1000, Time: sstable.EpochTime},
	)
	check(err)
	file := func(rows ...sstable.Row) reconcile.Input {
		var out bytes.Buffer
		w, err := sstable.NewPartitionWriter(codec, &out, nil)
		check(err)
		check(w.Begin([]byte{0, 0, 0, 1}, sstable.Deletion{}))
		for _, r := range rows {
			encoded, err := codec.AppendRow(nil, &r)
			check(err)
			check(w.Row(encoded))
		}
		check(w.End())
		check(w.Flush())
		return reconcile.Input{
			Source: sstable.NewDecoder(codec, &out, sstable.MaxRowBytes),
			Schema: schema,
		}
	}
	written := func(c byte, timestamp int64, v string) sstable.Row {
		return sstable.Row{
			Clustering: [][]byte{
				{0, 0, 0, c},
			},
			Liveness: sstable.Liveness{Set: true, Timestamp: timestamp},
			Cells:    []sstable.Cell{{Timestamp: timestamp, Value: []byte(v)}},
		}
	}
	deleted := sstable.Row{
		Clustering: [][]byte{{0, 0, 0, 8}},
		Deletion:   sstable.Deletion{Set: true, Timestamp: 2000, Time: sstable.EpochTime},
	}

	merger, err := reconcile.NewMerger(&reconcile.Table{Schema: schema}, []reconcile.Input{
		file(written(7, 1000, "old"), written(8, 1000, "gone")),
		file(written(7, 2000, "new"), deleted),
	})
	check(err)
	rows, err := reconcile.NewRows(merger, []reconcile.Selector{
		{
			Kind: reconcile.PartitionKey,
		},
		{Kind: reconcile.Clustering},
		{Kind: reconcile.Regular, Name: "v"},
	}, sstable.EpochTime)
	check(err)
	for {
		err := rows.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		check(err)
		cells := rows.Cells()
		fmt.Printf("k=%x c=%x v=%s\n", cells[0], cells[1], cells[2])
	}
	// Output:
	// k=00000001 c=00000007 v=new
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
