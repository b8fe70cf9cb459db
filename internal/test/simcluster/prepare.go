package simcluster

import (
	"errors"
	"slices"
	"strconv"

	"github.com/datastax/go-cassandra-native-protocol/message"
)

// supported is what the node reports about itself when a connection opens.
func (c *conn) supported() map[string][]string {
	cluster := c.node.cluster
	o := &cluster.options
	options := map[string][]string{
		message.StartupOptionCqlVersion: {"3.4.7"},
		"COMPRESSION":                   {"lz4"},
	}
	if o.Shards == 0 {
		return options
	}
	options["SCYLLA_SHARD"] = []string{strconv.Itoa(c.shard)}
	options["SCYLLA_NR_SHARDS"] = []string{strconv.Itoa(o.Shards)}
	options["SCYLLA_PARTITIONER"] = []string{partitioner}
	options["SCYLLA_SHARDING_ALGORITHM"] = []string{"biased-token-round-robin"}
	options["SCYLLA_SHARDING_IGNORE_MSB"] = []string{strconv.Itoa(o.IgnoreMSB)}
	options["SCYLLA_SHARD_AWARE_PORT"] = []string{strconv.Itoa(cluster.awarePort)}
	if o.Tablets > 0 {
		options["TABLETS_ROUTING_V1"] = []string{}
	}
	return options
}

// knows says whether a statement has been prepared on the node. An id is the text
// of its statement.
func (n *node) knows(id string) bool {
	_, ok := n.prepared.Load(id)
	return ok
}

// Unprepare makes a node, or all of them for a negative index, forget all prepared statements, as
// after a restart or a change of the schema.
func (c *Cluster) Unprepare(node int) {
	for i, n := range c.layout.Load().nodes {
		if node < 0 || i == node {
			n.prepared.Clear()
		}
	}
}

func errUnconfigured(st *statement) error {
	return errors.New("unconfigured table " + st.table)
}

// errFiltering is in the words of Cassandra.
const errFiltering = said(
	"Cannot execute this query as it might involve data filtering and thus may have unpredictable performance. " +
		"If you want to execute this query despite the performance unpredictability, use ALLOW FILTERING",
)

// filters says whether a range of tokens has to be searched for rows that meet conditions.
func (st *statement) filters() bool {
	onToken := func(c condition) bool { return c.onToken }
	byColumn := func(c condition) bool { return !c.onToken }
	return slices.ContainsFunc(st.where, onToken) && slices.ContainsFunc(st.where, byColumn)
}

// prepare describes a statement, and makes the node know it.
func (c *conn) prepare(text string) (*work, error) {
	st, err := c.node.cluster.parse(text)
	if err != nil {
		return nil, err
	}
	rel, system := c.node.relation(st.keyspace, st.table)
	if rel == nil {
		return nil, errUnconfigured(st)
	}
	variables, err := st.variables(rel)
	if err != nil {
		return nil, err
	}
	prepared := &message.PreparedResult{
		PreparedQueryId:   []byte(text),
		VariablesMetadata: variables,
		ResultMetadata:    &message.RowsMetadata{},
	}
	if st.verb == "select" && st.filters() && !st.filtering {
		return nil, errFiltering
	}
	if st.verb == "select" {
		columns, err := st.result(rel)
		if err != nil {
			return nil, err
		}
		prepared.ResultMetadata = rowsMetadata(columns)
	}
	c.node.prepared.Store(text, struct{}{})
	w := c.work(rel.keyspace+"."+rel.name, text)
	w.request.Prepare = true
	w.prepare, w.system, w.content = prepared, system, hashBytes([]byte(text))
	return w, nil
}

// execute makes a statement ready.
func (c *conn) execute(text string, o *message.QueryOptions) (*work, error) {
	st, err := c.node.cluster.parse(text)
	if err != nil {
		return nil, err
	}
	if o == nil {
		o = &message.QueryOptions{}
	}
	if st.verb != "select" {
		w, err := c.change([]*statement{st}, [][]*value{o.PositionalValues}, o.DefaultTimestamp)
		if w != nil {
			w.level = o.Consistency
		}
		return w, err
	}
	if err := st.bound(o.PositionalValues); err != nil {
		return nil, err
	}
	if t := c.node.cluster.schema.find(st.keyspace, st.table); t != nil {
		return c.selection(t, st, o)
	}
	rel, _ := c.node.relation(st.keyspace, st.table)
	if rel == nil {
		return nil, errUnconfigured(st)
	}
	return c.systemSelection(rel, st, o)
}
