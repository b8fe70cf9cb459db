package load

import (
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/row"
)

// Explained is what a load would do, as a dry run reports it.
type Explained struct {
	Inputs []ExplainedInput // of different fields, at most mostExplained
	Others int              // inputs that are like none of those
	Way    string           // how rows would go into the table
	Nulls  []string         // texts that stand for null, besides nothing
	// KeysAlone says that only key columns are read, which have no nulls.
	KeysAlone   bool
	NullDeletes bool // a null deletes what is there, and does not leave it
}

// ExplainedInput is what becomes of the fields of an input, and of those that have the same.
type ExplainedInput struct {
	Name string
	Like int // further inputs of the same fields
	ingest.Explanation
}

// mostExplained is the limit of inputs that are explained if each has other fields.
const mostExplained = 10

// Explain has the job call show while it runs, with the use of the fields of the first input. It
// calls show again for each input whose fields differ. The result is complete when the job is done.
// Explain is for a dry run: the job also finds all bad fields of a row.
func (j *Job) Explain(show func(ExplainedInput)) *Explained {
	e := &Explained{NullDeletes: j.Null == row.Null}
	j.AllBadFields = true
	j.Job.Explain = func(input string, use ingest.Explanation) {
		same := slices.IndexFunc(
			e.Inputs,
			func(other ExplainedInput) bool { return sameUse(other.Explanation, use) },
		)
		switch {
		case same >= 0:
			e.Inputs[same].Like++
		case len(e.Inputs) == mostExplained:
			e.Others++
		default:
			in := ExplainedInput{Name: input, Explanation: use}
			e.Inputs = append(e.Inputs, in)
			show(in)
		}
	}
	return e
}

func sameUse(a, b ingest.Explanation) bool {
	return slices.EqualFunc(
		a.Fields,
		b.Fields,
		func(x, y ingest.FieldUse) bool { return x.Field == y.Field && x.Loaded == y.Loaded },
	)
}

// Describe returns how rows go into the table by CQL, as a part of a sentence.
func (j *Job) Describe(ifNotExists bool, consistency string) string {
	limits := j.CQL.Limits
	switch {
	case ifNotExists:
		return fmt.Sprintf("each row is a lightweight transaction, at %s", consistency)
	case j.Table.IsCounter():
		return fmt.Sprintf(
			"rows of the same replicas share a batch of counters of at most %s, at %s",
			human.Of(limits.MaxRows, "row"),
			consistency,
		)
	}
	return fmt.Sprintf(
		"rows of one partition, or of the same replicas, share an unlogged batch: "+
			"at most %s, and of several partitions at most %d and %s, at %s",
		human.Of(limits.MaxRows, "row"),
		limits.Partitions,
		human.Size(int64(limits.Bytes)),
		consistency,
	)
}
