package simcluster

import (
	"github.com/datastax/go-cassandra-native-protocol/datatype"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

const partitioner = "org.apache.cassandra.dht.Murmur3Partitioner"

var (
	schemaVersion = uuid{0: 0x5c, 6: 0x40, 8: 0x80}
	tableID       = uuid{0: 0x7a, 6: 0x40, 8: 0x80}
	baseID        = uuid{0: 0xba, 6: 0x40, 8: 0x80}

	textType = datatype.Varchar
	textsSet = datatype.NewSet(datatype.Varchar)
	textsMap = datatype.NewMap(datatype.Varchar, datatype.Varchar)
)

// relation finds a table by its name, as this node shows it.
func (n *node) relation(keyspace, name string) (*relation, bool) {
	var r *relation
	switch c := n.cluster; keyspace + "." + name {
	case c.data.keyspace + "." + c.data.name:
		return c.data, true
	case "system.local":
		r = n.local()
	case "system.peers":
		r = n.peers()
	case "system.peers_v2":
		if c.options.Shards > 0 {
			return nil, false
		}
		r = n.peersV2()
	case "system.tablets":
		if c.options.Shards == 0 {
			return nil, false
		}
		r = c.tabletsTable()
	case "system_schema.keyspaces":
		r = c.keyspaces()
	case "system_schema.tables":
		r = c.tables()
	case "system_schema.columns":
		r = c.columns()
	case "system_schema.functions", "system_schema.aggregates", "system_schema.indexes", "system_schema.scylla_tables":
		r = &relation{columns: []column{{"keyspace_name", textType, true}, {"table_name", textType, false}}}
	case "system_schema.types":
		r = &relation{columns: []column{
			{"keyspace_name", textType, true}, {"type_name", textType, false},
			{"field_names", datatype.NewList(textType), false}, {"field_types", datatype.NewList(textType), false},
		}}
	case "system_schema.views":
		r = &relation{columns: []column{
			{"keyspace_name", textType, true}, {"view_name", textType, false}, {"base_table_name", textType, false}, {"id", datatype.Uuid, false},
		}}
	default:
		return nil, false
	}
	r.keyspace, r.name = keyspace, name
	return r, true
}

func (n *node) local() *relation {
	address := []byte(n.address.To4())
	return &relation{
		columns: []column{
			{"key", textType, true}, {"broadcast_address", datatype.Inet, false}, {"cluster_name", textType, false},
			{"data_center", textType, false}, {"host_id", datatype.Uuid, false}, {"listen_address", datatype.Inet, false},
			{"partitioner", textType, false}, {"rack", textType, false}, {"release_version", textType, false},
			{"rpc_address", datatype.Inet, false}, {"schema_version", datatype.Uuid, false}, {"tokens", textsSet, false},
		},
		rows: [][][]byte{{
			text("local"), address, text("simulated"),
			text(n.dc), n.id[:], address,
			text(partitioner), text(n.rack), text(n.release()),
			address, schemaVersion[:], n.tokenSet(),
		}},
	}
}

func (n *node) peers() *relation {
	r := &relation{columns: []column{
		{"peer", datatype.Inet, true}, {"data_center", textType, false}, {"host_id", datatype.Uuid, false},
		{"preferred_ip", datatype.Inet, false}, {"rack", textType, false}, {"release_version", textType, false},
		{"rpc_address", datatype.Inet, false}, {"schema_version", datatype.Uuid, false}, {"tokens", textsSet, false},
	}}
	for _, p := range n.cluster.nodes {
		if p != n {
			address := []byte(p.address.To4())
			r.rows = append(r.rows, [][]byte{
				address, text(p.dc), p.id[:], nil, text(p.rack), text(p.release()), address, schemaVersion[:], p.tokenSet(),
			})
		}
	}
	return r
}

// peersV2 is the peers with their ports, as Cassandra has them since 4.0.
func (n *node) peersV2() *relation {
	r := n.peers()
	for i := range r.columns {
		if r.columns[i].name == "rpc_address" {
			r.columns[i].name = "native_address"
		}
	}
	r.columns = append(r.columns, column{"native_port", datatype.Int, false})
	for i := range r.rows {
		r.rows[i] = append(r.rows[i], integer(n.cluster.Port()))
	}
	return r
}

// release is the version as drivers see it: ScyllaDB passes for an old Cassandra.
func (n *node) release() string {
	if n.cluster.options.Shards > 0 {
		return "3.0.8"
	}
	return "5.0.6"
}

func (n *node) tokenSet() []byte {
	var all [][]byte
	for _, t := range n.tokens {
		all = append(all, token.Murmur3.Append(nil, t))
	}
	return list(all...)
}

func (c *Cluster) keyspaces() *relation {
	return &relation{
		columns: []column{{"keyspace_name", textType, true}, {"durable_writes", datatype.Boolean, false}, {"replication", textsMap, false}},
		rows:    [][][]byte{{text(c.data.keyspace), boolean(true), textMap(c.replication())}},
	}
}

func (c *Cluster) tables() *relation {
	return &relation{
		columns: []column{{"keyspace_name", textType, true}, {"table_name", textType, false}, {"id", datatype.Uuid, false}},
		rows:    [][][]byte{{text(c.data.keyspace), text(c.data.name), tableID[:]}},
	}
}

func (c *Cluster) columns() *relation {
	row := func(name, order, kind, typ string, position int) [][]byte {
		return [][]byte{text(c.data.keyspace), text(c.data.name), text(name), text(order), text(kind), integer(position), text(typ)}
	}
	return &relation{
		columns: []column{
			{"keyspace_name", textType, true}, {"table_name", textType, false}, {"column_name", textType, false},
			{"clustering_order", textType, false}, {"kind", textType, false}, {"position", datatype.Int, false}, {"type", textType, false},
		},
		rows: [][][]byte{row("k", "none", "partition_key", "bigint", 0), row("v", "none", "regular", "text", -1)},
	}
}

func (c *Cluster) tabletsTable() *relation {
	r := &relation{columns: []column{
		{"table_id", datatype.Uuid, true}, {"last_token", datatype.Bigint, false},
		{"base_table", datatype.Uuid, false},
		{"replicas", datatype.NewList(datatype.NewTuple(datatype.Uuid, datatype.Int)), false},
	}}
	id := tableID
	if c.options.Colocated {
		id = baseID
		r.rows = append(r.rows, [][]byte{tableID[:], nil, baseID[:], nil})
	}
	for _, t := range c.tablets {
		r.rows = append(r.rows, [][]byte{id[:], token.Murmur3.AppendWire(nil, t.end), nil, c.replicaList(t)})
	}
	return r
}
