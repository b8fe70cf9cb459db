package cli

import (
	"bufio"
	"fmt"
	"io"

	"github.com/cqlbulk/cqlbulk/internal/count"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// print writes the answer of a count.
func (o *CountOptions) print(out io.Writer, t *target, r count.Result) error {
	w := bufio.NewWriter(out)
	var err error
	switch o.By {
	case "host":
		printHosts(w, t, r)
	case "range":
		printRanges(w, t, r)
	case "partition":
		err = printPartitions(w, t, r)
	default:
		fmt.Fprintln(w, r.Rows)
	}
	if err != nil {
		return err
	}
	return w.Flush()
}

func share(part, whole int64) float64 { return 100 * float64(part) / float64(max(whole, 1)) }

// printHosts sums the rows by the node that owns their range: its first replica
// in the data center.
func printHosts(w io.Writer, t *target, r count.Result) {
	owned := make(map[string]int64)
	for i, rows := range r.ByVnode {
		if hosts := t.plan.Owners(i); len(hosts) > 0 {
			owned[hosts[0]] += rows
		} else {
			owned[""] += rows
		}
	}
	for _, n := range t.cluster.Nodes {
		if n.DC != t.cluster.LocalDC && owned[n.ID] == 0 {
			continue
		}
		fmt.Fprintf(w, "%s\t%d\t%.2f%%\n", n.Address, owned[n.ID], share(owned[n.ID], r.Rows))
	}
	if rows, ok := owned[""]; ok {
		fmt.Fprintf(w, "-\t%d\t%.2f%%\n", rows, share(rows, r.Rows))
	}
}

func printRanges(w io.Writer, t *target, r count.Result) {
	placement := t.plan.Placement()
	if placement == nil {
		fmt.Fprintf(w, "-\t-\t%d\t%.2f%%\n", r.Rows, share(r.Rows, r.Rows))
		return
	}
	p := t.plan.Partitioner()
	for i, rows := range r.ByVnode {
		within := placement.Range(i)
		fmt.Fprintf(w, "%s\t%s\t%d\t%.2f%%\n", p.Append(nil, within.Start), p.Append(nil, within.End), rows, share(rows, r.Rows))
	}
}

// printPartitions writes the largest partitions: the key's columns as in a scan,
// and the rows.
func printPartitions(w io.Writer, t *target, r count.Result) error {
	format := dsv.Format{Delimiter: '\t', Quote: '"'}
	var codecs []cqltext.Codec
	for _, c := range t.table.OfKind(schema.PartitionKey) {
		codec, err := cqltext.Plan(c.Type)
		if err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
		codecs = append(codecs, codec)
	}
	var line []byte
	for _, p := range r.Partitions {
		line = line[:0]
		for i, cell := range p.Key {
			text, err := codecs[i].AppendText(nil, cell)
			if err != nil {
				return err
			}
			line = append(format.AppendField(line, text, true), '\t')
		}
		if _, err := fmt.Fprintf(w, "%s%d\n", line, p.Rows); err != nil {
			return err
		}
	}
	return nil
}
