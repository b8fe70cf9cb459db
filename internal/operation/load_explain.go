package operation

import (
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// Explained is what a load would do, as a dry run reports it.
type Explained struct {
	Inputs []ExplainedInput // of different fields, at most mostExplained
	Others int              // inputs that are like none of those
	Way    string           // how rows would go into the table
	Nulls  []string         // texts that stand for null, besides nothing
	Delete bool             // a null deletes what is there, and does not leave it
}

// ExplainedInput is what becomes of the fields of an input, and of those that have the same.
type ExplainedInput struct {
	Name string
	Like int // further inputs of the same fields
	ingest.Explanation
}

// mostExplained is the limit of inputs that are explained if each has other fields.
const mostExplained = 10

// Explain has the load call its argument while it runs, with the use of the fields of the first
// input. It calls it again for each input whose fields differ. Explain is for a dry run, and is
// called before Run.
func (l *Load) Explain(tell func(ExplainedInput)) {
	l.explained = &Explained{Way: l.way(), Nulls: l.spec.Nulls, Delete: l.job.Null == row.Null}
	l.job.AllBadFields = true
	l.job.Explain = func(input string, e ingest.Explanation) {
		same := slices.IndexFunc(
			l.explained.Inputs,
			func(other ExplainedInput) bool { return sameUse(other.Explanation, e) },
		)
		switch {
		case same >= 0:
			l.explained.Inputs[same].Like++
		case len(l.explained.Inputs) == mostExplained:
			l.explained.Others++
		default:
			in := ExplainedInput{Name: input, Explanation: e}
			l.explained.Inputs = append(l.explained.Inputs, in)
			tell(in)
		}
	}
}

func sameUse(a, b ingest.Explanation) bool {
	return slices.EqualFunc(
		a.Fields,
		b.Fields,
		func(x, y ingest.FieldUse) bool { return x.Field == y.Field && x.Loaded == y.Loaded },
	)
}

// way describes how rows go into the table.
func (l *Load) way() string {
	if l.delivery != nil {
		s := l.delivery.Setup
		nodes := len(s.Options.Nodes) - len(s.Options.Ignored)
		switch {
		case l.spec.Via == spec.ViaFiles:
			return fmt.Sprintf(
				"rows are sorted, and kept in %s as SSTables of version %s",
				l.spec.Dir,
				s.Options.Version,
			)
		case s.Options.Whole != nil:
			return fmt.Sprintf(
				"rows are sorted, made SSTables of, and these streamed to %s, %s at a time",
				human.Of(nodes, "node"),
				human.Size(s.Options.Slice),
			)
		default:
			return fmt.Sprintf(
				"rows are sorted and streamed to %s, %s SSTables of them, %s at a time",
				human.Of(nodes, "node"),
				human.Verb(nodes, "which makes", "which make"),
				human.Size(s.Options.Slice),
			)
		}
	}
	limits := l.job.CQL.Limits
	switch {
	case l.spec.IfNotExists:
		return fmt.Sprintf("each row is a lightweight transaction, at %s", l.t.Consistency)
	case l.t.Schema.IsCounter():
		return fmt.Sprintf(
			"rows of the same replicas share a batch of counters of at most %s, at %s",
			human.Of(limits.MaxRows, "row"),
			l.t.Consistency,
		)
	}
	return fmt.Sprintf(
		"rows of one partition, or of the same replicas, share an unlogged batch: at most %s, and of several partitions at most %d and %s, at %s",
		human.Of(
			limits.MaxRows,
			"row",
		),
		limits.Partitions,
		human.Size(int64(limits.Bytes)),
		l.t.Consistency,
	)
}
