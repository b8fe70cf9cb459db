package operation

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/count"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
)

// CountReport is what was counted. Hosts, Vnodes and Partitions are there when they were
// asked for and every range was counted.
type CountReport struct {
	Report
	Ranges     int           // token ranges counted
	Failed     []FailedRange // those that could not be
	Hosts      []HostRows
	Vnodes     []RangeRows
	Partitions []PartitionRows // the largest first
}

// HostRows are the rows in ranges that a node owns: it is their first replica in the data
// center.
type HostRows struct {
	Address string // empty: of ranges that no node of the data center owns
	Rows    int64
}

// RangeRows are the rows of a vnode range.
type RangeRows struct {
	Tokens *table.TokenRange // nil: the table, read as one range
	Rows   int64
}

// PartitionRows are the rows of a partition.
type PartitionRows struct {
	Key  [][]byte // the text of its columns, as in a scan
	Rows int64
}

// breakDown fills in the parts of the number that were asked for.
func (c *Count) breakDown(r *CountReport, result count.Result) (err error) {
	switch c.spec.By {
	case spec.ByHost:
		r.Hosts = c.hosts(result)
	case spec.ByRange:
		r.Vnodes = c.vnodes(result)
	case spec.ByPartition:
		r.Partitions, err = c.partitions(result)
	}
	return err
}

func (c *Count) hosts(result count.Result) []HostRows {
	owned := make(map[string]int64)
	for i, rows := range result.ByVnode {
		if hosts := c.t.Plan.Owners(i); len(hosts) > 0 {
			owned[hosts[0]] += rows
		} else {
			owned[""] += rows
		}
	}
	var all []HostRows
	for _, n := range c.t.Cluster.Nodes {
		if n.DC == c.t.Cluster.LocalDC || owned[n.ID] != 0 {
			all = append(all, HostRows{n.Address, owned[n.ID]})
		}
	}
	if rows, ok := owned[""]; ok {
		all = append(all, HostRows{Rows: rows})
	}
	return all
}

func (c *Count) vnodes(result count.Result) []RangeRows {
	placement := c.t.Plan.Placement()
	if placement == nil {
		return []RangeRows{{Rows: result.Rows}}
	}
	all := make([]RangeRows, len(result.ByVnode))
	for i, rows := range result.ByVnode {
		all[i] = RangeRows{c.t.Tokens(placement.Range(i)), rows}
	}
	return all
}

func (c *Count) partitions(result count.Result) ([]PartitionRows, error) {
	var codecs []cqltext.Codec
	for _, k := range c.t.Schema.OfKind(schema.PartitionKey) {
		codec, err := cqltext.Plan(k.Type)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", k.Name, err)
		}
		codecs = append(codecs, codec)
	}
	all := make([]PartitionRows, len(result.Partitions))
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
