// Package breakdown breaks the number of a count down by node, by vnode range or by partition.
package breakdown

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/count"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
)

// Host has the rows in the ranges that a node owns: it is their first replica in the local data
// center. If a range has no replica there, its first replica in any data center owns it.
type Host struct {
	Address string // empty: of ranges whose replicas are not known
	Rows    int64
}

// Range has the rows of a vnode range.
type Range struct {
	Tokens *table.TokenRange // nil: the table, read as one range
	Rows   int64
}

// Partition has the rows of a partition.
type Partition struct {
	Key  [][]byte // the text of its columns, as in a scan
	Rows int64
}

// Hosts returns the rows by node: all nodes of the local data center, and other nodes that own
// rows. Rows of ranges whose replicas are not known come last.
func Hosts(result count.Result, t *table.Table) []Host {
	owned := make(map[string]int64)
	for i, rows := range result.ByVnode {
		if hosts := t.Plan.Owners(i); len(hosts) > 0 {
			owned[hosts[0]] += rows
		} else {
			owned[""] += rows
		}
	}
	var all []Host
	for _, n := range t.Cluster.Nodes {
		if n.DC == t.Cluster.LocalDC || owned[n.ID] != 0 {
			all = append(all, Host{n.Address, owned[n.ID]})
		}
	}
	if rows, ok := owned[""]; ok {
		all = append(all, Host{Rows: rows})
	}
	return all
}

// Ranges returns the rows by vnode range.
func Ranges(result count.Result, t *table.Table) []Range {
	placement := t.Plan.Placement()
	if placement == nil {
		return []Range{{Rows: result.Rows}}
	}
	all := make([]Range, len(result.ByVnode))
	for i, rows := range result.ByVnode {
		all[i] = Range{t.Tokens(placement.Range(i)), rows}
	}
	return all
}

// Partitions returns the partitions of a count with the texts of their keys. An error is that of a
// value which is none of its column.
func Partitions(result count.Result, t *schema.Table) ([]Partition, error) {
	var codecs []cqltext.Codec
	for _, k := range t.OfKind(schema.PartitionKey) {
		codec, err := cqltext.Plan(k.Type)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", k.Name, err)
		}
		codecs = append(codecs, codec)
	}
	all := make([]Partition, len(result.Partitions))
	for i, p := range result.Partitions {
		all[i].Rows = p.Rows
		for column, cell := range p.Key {
			text, err := codecs[column].AppendText(nil, cell)
			if err != nil {
				return nil, err
			}
			all[i].Key = append(all[i].Key, text)
		}
	}
	return all, nil
}
