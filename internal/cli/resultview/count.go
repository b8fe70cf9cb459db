package resultview

import (
	"bufio"
	"fmt"
	"io"

	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// WriteCount writes the answer of a count by host, by range or by partition; else it is one number.
func WriteCount(out io.Writer, by string, r operation.CountReport) error {
	w := bufio.NewWriter(out)
	switch by {
	case spec.ByHost:
		for _, h := range r.Hosts {
			address := h.Address
			if address == "" {
				address = "-"
			}
			fmt.Fprintf(w, "%s\t%d\t%.2f%%\n", address, h.Rows, share(h.Rows, r.Rows))
		}
	case spec.ByRange:
		for _, v := range r.Vnodes {
			within := table.TokenRange{Start: "-", End: "-"}
			if v.Tokens != nil {
				within = *v.Tokens
			}
			fmt.Fprintf(
				w,
				"%s\t%s\t%d\t%.2f%%\n",
				within.Start,
				within.End,
				v.Rows,
				share(v.Rows, r.Rows),
			)
		}
	case spec.ByPartition:
		printPartitions(w, r.Partitions)
	default:
		fmt.Fprintln(w, r.Rows)
	}
	return w.Flush()
}

func share(part, whole int64) float64 { return 100 * float64(part) / float64(max(whole, 1)) }

// printPartitions writes the largest partitions: the key's columns as in a scan,
// and the rows.
func printPartitions(w io.Writer, partitions []operation.PartitionRows) {
	format := dsv.Format{Delimiter: '\t', Quote: '"'}
	var line []byte
	for _, p := range partitions {
		line = line[:0]
		for _, text := range p.Key {
			line = append(format.AppendField(line, text, true), '\t')
		}
		fmt.Fprintf(w, "%s%d\n", line, p.Rows)
	}
}
