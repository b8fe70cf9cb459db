package simcluster

import (
	"slices"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Fault is what goes wrong with a request.
type Fault uint8

// The faults. Those of reads do nothing to a write, and the other way round; those
// of pages do nothing to a count, which has none.
const (
	None Fault = iota

	ReadTimeout         // of reads: no answer of the replicas in time
	ReadFailure         // of reads: a replica failed
	WriteTimeout        // of writes: nothing was written
	WriteTimeoutApplied // of writes: and yet all was written
	WriteTimeoutPartly  // of writes: the first half of a batch's rows was written
	WriteFailure        // of writes: a replica failed, nothing was written
	WriteFailureApplied // of writes: and yet all was written
	Overloaded          // the node has too much to do
	OverloadedPartly    // of writes: and the first half of a batch's partitions was written
	Unavailable         // too few replicas are up, says the node
	UnavailablePartly   // of writes: and the first half of a batch's partitions was written
	Bootstrapping       // the node is only starting
	ServerError         // an error of no kind; nothing was written
	ServerErrorApplied  // of writes: and yet all was written
	Unprepared          // the node has forgotten its prepared statements
	Unconfigured        // the table is gone, says the node
	Answer              // the error of a Rule

	DropBefore    // the connection ends before anything was done
	DropApplied   // the connection ends after a write was done, or a page read
	DropMidFrame  // the connection ends in the middle of the answer
	Silence       // no answer ever comes, and nothing was done
	SilentApplied // no answer ever comes, but a write was done

	EmptyPage    // of reads: a page without rows, and more to come
	ShortPage    // of reads: fewer rows than asked for, and more to come
	TrailingPage // of reads: the last page promises one more, which is empty

	faults int = iota
)

// String is the fault's name.
func (f Fault) String() string { return effects[f].name }

// amount is how much of a write is done.
type amount int

const (
	nothing amount = iota
	half           // of the rows
	// half of them: a server refuses a partition as a whole, with others sent before
	partitions
	everything
)

func (a amount) of(rows []*mutation) []*mutation {
	switch a {
	case nothing:
		return nil
	case half:
		return rows[:len(rows)/2]
	case partitions:
		keys := make(map[token.Token]int)
		for _, m := range rows {
			if _, known := keys[m.at]; !known {
				keys[m.at] = len(keys)
			}
		}
		return slices.DeleteFunc(
			slices.Clone(rows),
			func(m *mutation) bool { return keys[m.at] >= len(keys)/2 },
		)
	default:
		return rows
	}
}

// effect is what a fault does.
type effect struct {
	name     string
	meets    kindOfWork
	applies  amount // of a write
	answer   func(*work) message.Error
	delivery delivery
}

// kindOfWork is a set of kinds of requests.
type kindOfWork uint8

const (
	reading kindOfWork = 1 << iota
	writing
	preparing
	paging // a read of one of the tables, that is no count
	executing
)

func (w *work) kind() kindOfWork {
	kind := reading
	switch {
	case w.prepare != nil:
		kind = preparing
	case w.read == nil:
		kind = writing
	case w.paged:
		kind |= paging
	}
	if w.id != nil {
		kind |= executing
	}
	return kind
}

var effects = [faults]effect{
	None:                {"none", 0xff, everything, nil, whole},
	ReadTimeout:         {"read timeout", reading, nothing, readTimeout, whole},
	ReadFailure:         {"read failure", reading, nothing, readFailure, whole},
	WriteTimeout:        {"write timeout", writing, nothing, writeTimeout, whole},
	WriteTimeoutApplied: {"write timeout, applied", writing, everything, writeTimeout, whole},
	WriteTimeoutPartly:  {"write timeout, partly applied", writing, half, writeTimeout, whole},
	WriteFailure:        {"write failure", writing, nothing, writeFailure, whole},
	WriteFailureApplied: {"write failure, applied", writing, everything, writeFailure, whole},
	Overloaded:          {"overloaded", reading | writing | preparing, nothing, overloaded, whole},
	OverloadedPartly:    {"overloaded, partly applied", writing, partitions, overloaded, whole},
	Unavailable:         {"unavailable", reading | writing, nothing, unavailable, whole},
	UnavailablePartly:   {"unavailable, partly applied", writing, partitions, unavailable, whole},
	Bootstrapping:       {"bootstrapping", reading | writing, nothing, bootstrapping, whole},
	ServerError: {
		"server error",
		reading | writing | preparing,
		nothing,
		serverError,
		whole,
	},
	ServerErrorApplied: {"server error, applied", writing, everything, serverError, whole},
	Unprepared:         {"unprepared", executing, nothing, unprepared, whole},
	Unconfigured: {
		"unconfigured",
		reading | writing | preparing,
		nothing,
		unconfigured,
		whole,
	},
	Answer: {"answer", reading | writing | preparing, nothing, serverError, whole},
	DropBefore: {
		"connection dropped",
		reading | writing | preparing,
		nothing,
		nil,
		dropped,
	},
	DropApplied: {
		"connection dropped, applied",
		reading | writing | preparing,
		everything,
		nil,
		dropped,
	},
	DropMidFrame: {
		"connection dropped in an answer",
		reading | writing | preparing,
		everything,
		nil,
		cutShort,
	},
	Silence:       {"silence", reading | writing | preparing, nothing, nil, silence},
	SilentApplied: {"silence, applied", writing, everything, nil, silence},
	EmptyPage:     {"empty page", paging, everything, nil, whole},
	ShortPage:     {"short page", paging, everything, nil, whole},
	TrailingPage:  {"trailing page", paging, everything, nil, whole},
}

func readTimeout(w *work) message.Error {
	return &message.ReadTimeout{
		ErrorMessage: "Operation timed out - received only 0 responses.",
		Consistency:  w.level,
		BlockFor:     1,
	}
}

func readFailure(w *work) message.Error {
	return &message.ReadFailure{
		ErrorMessage: "Operation failed - received 0 responses and 1 failures",
		Consistency:  w.level,
		BlockFor:     1,
		NumFailures:  1,
	}
}

func writeTimeout(w *work) message.Error {
	return &message.WriteTimeout{
		ErrorMessage: "Operation timed out - received only 0 responses.",
		Consistency:  w.level,
		BlockFor:     1,
		WriteType:    w.writeType(),
	}
}

func writeFailure(w *work) message.Error {
	return &message.WriteFailure{
		ErrorMessage: "Operation failed - received 0 responses and 1 failures",
		Consistency:  w.level,
		BlockFor:     1,
		NumFailures:  1,
		WriteType:    w.writeType(),
	}
}

func overloaded(*work) message.Error {
	return &message.Overloaded{ErrorMessage: "Server is in overloaded state"}
}

func unavailable(w *work) message.Error {
	return &message.Unavailable{
		ErrorMessage: "Cannot achieve consistency level " + w.level.String(),
		Consistency:  w.level,
		Required:     1,
	}
}

func bootstrapping(*work) message.Error {
	return &message.IsBootstrapping{ErrorMessage: "Cannot read from a bootstrapping node"}
}

func serverError(*work) message.Error {
	return &message.ServerError{ErrorMessage: "java.lang.IllegalStateException"}
}

func unprepared(w *work) message.Error {
	w.conn.node.prepared.Clear()
	return refusal(&unpreparedError{string(w.id)})
}

func unconfigured(w *work) message.Error {
	return &message.Invalid{ErrorMessage: "unconfigured table " + w.request.Table}
}

// writeType is what a server calls a write of this form.
func (w *work) writeType() primitive.WriteType {
	switch {
	case w.mutations[0].table.counter:
		return primitive.WriteTypeCounter
	case w.batch:
		return primitive.WriteTypeUnloggedBatch
	default:
		return primitive.WriteTypeSimple
	}
}
