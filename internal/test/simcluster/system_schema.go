package simcluster

import (
	"cmp"
	"maps"
	"slices"

	"github.com/datastax/go-cassandra-native-protocol/datatype"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// baseID is the id of a table that others keep their tablets under.
var baseID = uuid{0: 0xba, 6: 0x40, 8: 0x80}

// schemaTable is a table of system_schema; nil when there is none.
func (n *node) schemaTable(name string) *relation {
	c := n.cluster
	switch name {
	case "system_schema.keyspaces":
		return c.keyspaces(n.view())
	case "system_schema.tables":
		return c.tables()
	case "system_schema_mcs.tables":
		if !c.options.AmazonKeyspaces {
			return nil
		}
		return c.keyspacesTables()
	case "system_schema.columns":
		return c.columns()
	case "system_schema.functions", "system_schema.aggregates", "system_schema.scylla_tables":
		return &relation{
			columns: []column{{"keyspace_name", textType, true}, {"table_name", textType, false}},
		}
	case "system_schema.dropped_columns":
		return c.droppedColumns()
	case "system_schema.indexes":
		return c.indexes()
	case "system_schema.triggers":
		return &relation{
			columns: []column{
				{"keyspace_name", textType, true},
				{"table_name", textType, false},
				{"trigger_name", textType, false},
			},
		}
	case "system_schema.types":
		return &relation{columns: []column{
			{"keyspace_name", textType, true},
			{"type_name", textType, false},
			{
				"field_names",
				datatype.NewList(textType),
				false,
			},
			{"field_types", datatype.NewList(textType), false},
		}}
	case "system_schema.views":
		return c.views()
	case "system_virtual_schema.keyspaces",
		"system_virtual_schema.tables",
		"system_virtual_schema.columns":
		if c.options.Shards == 0 {
			return virtualSchema()
		}
	}
	return nil
}

func (c *Cluster) droppedColumns() *relation {
	r := &relation{columns: []column{
		{
			"keyspace_name",
			textType,
			true,
		},
		{"table_name", textType, false},
		{"column_name", textType, false},
		{"dropped_time", datatype.Timestamp, false},
	}}
	for _, t := range c.schema.list() {
		t.mu.RLock()
		for _, name := range slices.Sorted(maps.Keys(t.dropped)) {
			r.rows = append(
				r.rows,
				[][]byte{
					text(t.keyspace),
					text(t.name),
					text(name),
					bigint(t.dropped[name].UnixMilli()),
				},
			)
		}
		t.mu.RUnlock()
	}
	return r
}

func (c *Cluster) views() *relation {
	r := &relation{columns: []column{
		{
			"keyspace_name",
			textType,
			true,
		},
		{"view_name", textType, false},
		{"base_table_name", textType, false},
		{"id", datatype.Uuid, false},
	}}
	for _, t := range c.schema.list() {
		if t.view != "" {
			r.rows = append(r.rows, [][]byte{text(t.keyspace), text(t.name), text(t.view), t.id[:]})
		}
	}
	return r
}

func (c *Cluster) indexes() *relation {
	r := &relation{columns: []column{
		{
			"keyspace_name",
			textType,
			true,
		},
		{"table_name", textType, false},
		{"index_name", textType, false},
		{"options", textsMap, false},
	}}
	for _, t := range c.options.Tables {
		for _, name := range slices.Sorted(maps.Keys(t.Indexes)) {
			r.rows = append(
				r.rows,
				[][]byte{
					text(cmp.Or(t.Keyspace, c.options.Keyspace)),
					text(t.Name),
					text(name),
					textMap(map[string]string{"class_name": t.Indexes[name]}),
				},
			)
		}
	}
	return r
}

// virtualSchema has no virtual table.
func virtualSchema() *relation {
	return &relation{columns: []column{
		{
			"keyspace_name",
			textType,
			true,
		},
		{"table_name", textType, false},
		{"column_name", textType, false},
		{
			"clustering_order",
			textType,
			false,
		},
		{"kind", textType, false},
		{"position", datatype.Int, false},
		{"type", textType, false},
	}}
}

func (c *Cluster) keyspaces(l *layout) *relation {
	r := &relation{
		columns: []column{
			{"keyspace_name", textType, true},
			{"durable_writes", datatype.Boolean, false},
			{"replication", textsMap, false},
		},
	}
	names := []string{c.options.Keyspace}
	for _, t := range c.schema.list() {
		if !slices.Contains(names, t.keyspace) {
			names = append(names, t.keyspace)
		}
	}
	for _, name := range names {
		r.rows = append(r.rows, [][]byte{text(name), boolean(true), textMap(c.replication(l))})
	}
	return r
}

// tables has the options of tables. ScyllaDB has change capture in another table, and uses
// Cassandra's old names of compressors.
func (c *Cluster) tables() *relation {
	compression := map[string]string{"enabled": "false"}
	if c.options.Shards > 0 {
		compression = map[string]string{
			"sstable_compression": "org.apache.cassandra.io.compress.LZ4Compressor",
		}
	}
	r := &relation{columns: []column{
		{
			"keyspace_name",
			textType,
			true,
		},
		{"table_name", textType, false},
		{"id", datatype.Uuid, false},
		{"default_time_to_live", datatype.Int, false},
		{"flags", textsSet, false},
		{
			"bloom_filter_fp_chance",
			datatype.Double,
			false,
		},
		{"min_index_interval", datatype.Int, false},
		{"compression", textsMap, false},
	}}
	if c.options.Shards == 0 {
		r.columns = append(r.columns, column{"cdc", datatype.Boolean, false})
	}
	flags := elements(
		integer(1),
		[][]byte{text("compound")},
	) // those of a table without COMPACT STORAGE
	for _, t := range c.schema.list() {
		if t.view != "" {
			continue
		}
		row := [][]byte{
			text(t.keyspace),
			text(t.name),
			t.id[:],
			integer(0),
			flags,
			double(0.01),
			integer(128),
			textMap(compression),
			boolean(false),
		}
		r.rows = append(r.rows, row[:len(r.columns)])
	}
	return r
}

func (c *Cluster) columns() *relation {
	r := &relation{columns: []column{
		{
			"keyspace_name",
			textType,
			true,
		},
		{"table_name", textType, false},
		{"column_name", textType, false},
		{
			"clustering_order",
			textType,
			false,
		},
		{"kind", textType, false},
		{"position", datatype.Int, false},
		{"type", textType, false},
	}}
	for _, t := range c.schema.list() {
		for _, col := range t.cols {
			order, position := "none", -1
			if col.kind == PartitionKey || col.kind == Clustering {
				position = col.slot
			}
			if col.kind == Clustering {
				order = map[bool]string{false: "asc", true: "desc"}[col.desc]
			}
			r.rows = append(r.rows, [][]byte{
				text(
					t.keyspace,
				),
				text(t.name),
				text(col.name),
				text(order),
				text(string(col.kind)),
				integer(position),
				text(col.text),
			})
		}
	}
	return r
}

// tabletsTable is the tablets of all tables, which are the same.
func (c *Cluster) tabletsTable() *relation {
	r := &relation{columns: []column{
		{"table_id", datatype.Uuid, true}, {"last_token", datatype.Bigint, false},
		{"base_table", datatype.Uuid, false},
		{"replicas", datatype.NewList(datatype.NewTuple(datatype.Uuid, datatype.Int)), false},
	}}
	l := c.layout.Load()
	add := func(id uuid) {
		for _, t := range l.tablets {
			r.rows = append(
				r.rows,
				[][]byte{id[:], token.Murmur3.AppendWire(nil, t.end), nil, l.replicaList(t)},
			)
		}
	}
	if c.options.Colocated {
		add(baseID)
	}
	for _, t := range c.schema.list() {
		if c.options.Colocated {
			r.rows = append(r.rows, [][]byte{t.id[:], nil, baseID[:], nil})
		} else {
			add(t.id)
		}
	}
	return r
}
