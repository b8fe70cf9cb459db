package cqlshcopy

import (
	"math"
	"runtime"
	"strconv"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/copystmt"
)

// The defaults of cqlsh for what one of its processes has under way.
const (
	tokenRanges = 6 // of MAXREQUESTS
	mostWorkers = 16
)

// defaultProcesses is how many processes cqlsh begins on this machine: it leaves a processor for
// the one that joins their work.
func defaultProcesses() int64 {
	return int64(max(1, min(mostWorkers, runtime.NumCPU()-1)))
}

// parallelRule limits the requests of COPY TO: each of NUMPROCESSES has MAXREQUESTS.
func parallelRule(t *Command, s *copystmt.Statement, o copystmt.Option) error {
	if _, err := wholeNumber(o); err != nil {
		return err
	}
	t.limitRequests(s, "parallel", "maxrequests")
	return nil
}

// inFlightRule limits the requests of COPY FROM: each of NUMPROCESSES has MAXINFLIGHTMESSAGES.
// NUMPROCESSES alone limits nothing. The limit of cqlsh is then 512 for each process and node. A
// load with such an --inflight begins with that many, which is far more than without the flag.
func inFlightRule(t *Command, s *copystmt.Statement, o copystmt.Option) error {
	if _, err := wholeNumber(o); err != nil {
		return err
	}
	if _, ok := s.Option("maxinflightmessages"); ok {
		t.limitRequests(s, "inflight", "maxinflightmessages")
	} else {
		t.note("%s is not done: %s", shownOption(o), insteadProcesses)
	}
	return nil
}

// limitRequests sets a flag to the product of NUMPROCESSES and what each process may have. Both may
// call it: the second call does nothing.
func (t *Command) limitRequests(s *copystmt.Statement, flag, each string) {
	for _, set := range t.Settings {
		if set.Flag == flag {
			return
		}
	}
	number := func(name string, otherwise int64) int64 {
		n := otherwise
		if o, ok := s.Option(name); ok {
			n, _ = wholeNumber(o) // its own rule has the error
		}
		return min(max(n, 1), math.MaxInt32)
	}
	product := number("numprocesses", defaultProcesses()) * number(each, tokenRanges)
	t.set(flag, strconv.FormatInt(min(product, math.MaxInt32), 10))
}
