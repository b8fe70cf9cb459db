package simcluster

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// bring returns what a node has of a table in some ranges, as one file of rows. That is what it
// holds, or, if nodes have no rows of their own, only partitions that it is a replica of. A client
// asks for system.local to see whether the node reaches it: that is a file as well.
func (n *node) bring(r internode.Request) ([]internodetest.Brought, error) {
	if r.Keyspace == "system" && r.Table == "local" {
		codec, err := codecOf(
			[]tableColumn{
				{
					column: column{name: "key"},
					kind:   PartitionKey,
					cql:    &cqltype.Type{Kind: cqltype.Text},
				},
			},
		)
		if err != nil {
			return nil, err
		}
		return []internodetest.Brought{
			internodetest.Rows(internode.UUID{1}, codec.AppendHeader(nil), []byte("a row")),
		}, nil
	}
	t := n.cluster.schema.find(r.Keyspace, r.Table)
	if t == nil {
		return nil, fmt.Errorf("no table %s.%s", r.Keyspace, r.Table)
	}
	codec, err := codecOf(t.cols)
	if err != nil {
		return nil, err
	}
	var plain bytes.Buffer
	w, err := sstable.NewPartitionWriter(codec, &plain, nil)
	if err != nil {
		return nil, err
	}
	of := t
	if n.cluster.options.Replicated {
		of = n.own(t)
	}
	of.mu.RLock()
	defer of.mu.RUnlock()
	for _, p := range of.partitions {
		wanted := slices.ContainsFunc(
			r.Ranges,
			func(within token.Range) bool { return within.Contains(p.at) },
		)
		if !wanted ||
			of == t &&
				!slices.ContainsFunc(
					n.cluster.Replicas(p.at),
					func(r Replica) bool { return r.Node == n.index },
				) {
			continue
		}
		if err := t.write(w, codec, p); err != nil {
			return nil, err
		}
	}
	if err := w.Flush(); err != nil || plain.Len() == 0 {
		return nil, err
	}
	return []internodetest.Brought{
		internodetest.Rows(internode.UUID(t.id), codec.AppendHeader(nil), plain.Bytes()),
	}, nil
}

// codecOf makes the codec of a table's files.
func codecOf(cols []tableColumn) (*sstable.Codec, error) {
	var table sstable.Table
	lists := map[Kind]*[]sstable.Column{
		PartitionKey: &table.Key,
		Clustering:   &table.Clustering,
		Static:       &table.Statics,
		Regular:      &table.Regulars,
	}
	for _, c := range cols {
		if c.cql.MultiCell() || c.cql.Kind == cqltype.Counter {
			return nil, fmt.Errorf(
				"column %s is of the type %s: SSTables of that are not simulated",
				c.name,
				c.text,
			)
		}
		*lists[c.kind] = append(
			*lists[c.kind],
			sstable.Column{Name: c.name, Type: c.cql, Desc: c.desc},
		)
	}
	schema, err := sstable.Plan(&table)
	if err != nil {
		return nil, err
	}
	return sstable.NewCodec(
		schema,
		component.NB,
		sstable.Minima{Timestamp: sstable.EpochTimestamp, Time: sstable.EpochTime},
	)
}

// write writes a partition.
func (t *table) write(w *sstable.PartitionWriter, codec *sstable.Codec, p *partition) error {
	if err := w.Begin(p.raw, sstable.Deletion{}); err != nil {
		return err
	}
	var encoded []byte
	var err error
	if t.statics > 0 {
		row := sstable.Row{Static: true, Cells: cellsOf(p.static)}
		if encoded, err = codec.AppendRow(encoded[:0], &row); err == nil {
			err = w.Static(encoded)
		}
		if err != nil {
			return err
		}
	}
	for _, l := range p.lines {
		row := sstable.Row{
			Clustering: l.cluster,
			Liveness:   livenessOf(l.marker),
			Cells:      cellsOf(l.cells),
		}
		if row.Empty() {
			continue
		}
		if encoded, err = codec.AppendRow(encoded[:0], &row); err == nil {
			err = w.Row(encoded)
		}
		if err != nil {
			return err
		}
	}
	return w.End()
}

// livenessOf is the liveness of a row that was inserted.
func livenessOf(c cell) sstable.Liveness {
	if !c.written {
		return sstable.Liveness{}
	}
	return sstable.Liveness{Set: true, Timestamp: c.timestamp, TTL: int32(c.ttl), Expiry: c.expires}
}

// cellsOf are the cells of columns that were written.
func cellsOf(columns []cell) (cells []sstable.Cell) {
	for i, c := range columns {
		to := sstable.Cell{Column: i, Timestamp: c.timestamp, Value: c.value}
		switch {
		case !c.written:
			continue
		case c.value == nil:
			to.Kind, to.Time = sstable.Tombstone, sstable.EpochTime
		case c.ttl > 0:
			to.Kind, to.TTL, to.Time = sstable.Expiring, int32(c.ttl), c.expires
		}
		cells = append(cells, to)
	}
	return cells
}
