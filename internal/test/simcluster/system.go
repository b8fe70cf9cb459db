package simcluster

import (
	"maps"
	"slices"

	"github.com/datastax/go-cassandra-native-protocol/datatype"
)

const partitioner = "org.apache.cassandra.dht.Murmur3Partitioner"

var (
	textType = datatype.Varchar
	textsSet = datatype.NewSet(datatype.Varchar)
	textsMap = datatype.NewMap(datatype.Varchar, datatype.Varchar)
)

// relation returns a table by its name, as this node shows it; nil if there is none. It reports
// whether that is a system table, which comes with its rows.
func (n *node) relation(keyspace, name string) (rel *relation, system bool) {
	if t := n.cluster.schema.find(keyspace, name); t != nil {
		return &t.relation, false
	}
	if rel = n.systemTable(keyspace + "." + name); rel != nil {
		rel.keyspace, rel.name = keyspace, name
	}
	return rel, true
}

func (n *node) systemTable(name string) *relation {
	c := n.cluster
	scylla := c.options.Shards > 0
	switch {
	case name == "system.local":
		return n.local()
	case name == "system.peers":
		return n.peers()
	case name == "system.peers_v2" && !scylla:
		return n.peersV2()
	case name == "system.tablets" && scylla:
		return c.tabletsTable()
	case name == "system.truncated" && scylla:
		return c.truncated()
	case name == "system_views.gossip_info" && c.hasGossipInfo():
		return n.gossipInfo()
	case name == "system_views.thread_pools" && !scylla && c.options.Cores > 0:
		return c.threadPools()
	case name == "system_views.settings" && !scylla && c.options.Settings != nil:
		return c.settings()
	default:
		return n.schemaTable(name)
	}
}

func (n *node) local() *relation {
	address := []byte(n.address.To4())
	r := &relation{
		columns: []column{
			{
				"key",
				textType,
				true,
			},
			{"broadcast_address", datatype.Inet, false},
			{"cluster_name", textType, false},
			{
				"data_center",
				textType,
				false,
			},
			{"host_id", datatype.Uuid, false},
			{"listen_address", datatype.Inet, false},
			{
				"partitioner",
				textType,
				false,
			},
			{"rack", textType, false},
			{"release_version", textType, false},
			{
				"rpc_address",
				datatype.Inet,
				false,
			},
			{"schema_version", datatype.Uuid, false},
			{"tokens", textsSet, false},
		},
		rows: [][][]byte{{
			text("local"), address, text(n.cluster.name()),
			text(n.dc), n.id[:], address,
			text(partitioner), text(n.rack), text(n.cluster.options.Release),
			address, n.schemaVersion(), tokenSet(n.view().tokens[n.index]),
		}},
	}
	if n.cluster.options.Shards == 0 {
		r.columns = append(
			r.columns,
			column{"truncated_at", datatype.NewMap(datatype.Uuid, datatype.Blob), false},
			column{"broadcast_port", datatype.Int, false},
		)
		r.rows[0] = append(
			r.rows[0],
			n.cluster.truncatedMap(),
			integer(n.cluster.options.StoragePort),
		)
	}
	return r
}

// schemaVersion is the id of the schema that the node has.
func (n *node) schemaVersion() []byte {
	version := n.cluster.schema.schemaVersion()
	if n.astray.Load() {
		version[1] = 1
	}
	return version
}

// truncatedMap is when tables were truncated, as Cassandra keeps it: the time behind a
// position in the commit log; null when none was.
func (c *Cluster) truncatedMap() []byte {
	var all [][]byte
	for _, t := range c.schema.list() {
		if at := t.truncatedAt(); at > 0 {
			all = append(all, t.id[:], slices.Concat(bigint(1), integer(0), bigint(at)))
		}
	}
	if all == nil {
		return nil
	}
	return elements(integer(len(all)/2), all)
}

// truncated is when tables were truncated, as ScyllaDB keeps it: a row for each shard.
func (c *Cluster) truncated() *relation {
	r := &relation{
		columns: []column{
			{"table_uuid", datatype.Uuid, true},
			{"shard", datatype.Int, false},
			{"truncated_at", datatype.Timestamp, false},
		},
	}
	for _, t := range c.schema.list() {
		if at := t.truncatedAt(); at > 0 {
			for shard := range c.options.Shards {
				r.rows = append(r.rows, [][]byte{t.id[:], integer(shard), bigint(at)})
			}
		}
	}
	return r
}

func (n *node) peers() *relation {
	r := &relation{columns: []column{
		{
			"peer",
			datatype.Inet,
			true,
		},
		{"data_center", textType, false},
		{"host_id", datatype.Uuid, false},
		{
			"preferred_ip",
			datatype.Inet,
			false,
		},
		{"rack", textType, false},
		{"release_version", textType, false},
		{
			"rpc_address",
			datatype.Inet,
			false,
		},
		{"schema_version", datatype.Uuid, false},
		{"tokens", textsSet, false},
	}}
	l := n.view()
	version := n.cluster.schema.schemaVersion()
	for i, p := range l.nodes {
		if p != n && l.member[i] {
			address := []byte(p.address.To4())
			r.rows = append(r.rows, [][]byte{
				address,
				text(p.dc),
				p.id[:],
				nil,
				text(p.rack),
				text(n.cluster.options.Release),
				address,
				version,
				tokenSet(l.tokens[i]),
			})
		}
	}
	r.rows = n.misinform(r.rows, version)
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
	r.columns = append(
		r.columns,
		column{"native_port", datatype.Int, false},
		column{"peer_port", datatype.Int, false},
	)
	for i := range r.rows {
		r.rows[i] = append(
			r.rows[i],
			integer(n.cluster.port),
			integer(n.cluster.options.StoragePort),
		)
	}
	return r
}

// threadPools is the table that shows how many processors a node has.
func (c *Cluster) threadPools() *relation {
	return &relation{
		columns: []column{{"name", textType, true}, {"active_tasks_limit", datatype.Int, false}},
		rows:    [][][]byte{{text("RequestResponseStage"), integer(c.options.Cores)}},
	}
}

// settings is the table of a node's configuration.
func (c *Cluster) settings() *relation {
	rel := &relation{columns: []column{{"name", textType, true}, {"value", textType, false}}}
	for _, name := range slices.Sorted(maps.Keys(c.options.Settings)) {
		rel.rows = append(rel.rows, [][]byte{text(name), text(c.options.Settings[name])})
	}
	return rel
}
