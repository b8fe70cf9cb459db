// Package doctor looks whether a cluster, a table and the inputs of a load are fit for what is
// going to be done with them, and says what to do where they are not.
//
// A check is a name and a small function that gives what it found, as data ([Finding]); [Run] runs
// all of them side by side, each for so long at the most, so that one node that hangs costs a line
// and not the answer. Most of this room is what facts mean: [Clocks] of the nodes' clocks,
// [Certificates] of when those end, [Dates] of the dates in an input. These ask nobody; who learns
// the facts is package operation. How a finding looks is the command line's matter.
//
// Nothing here is changed once it is made, so that all of it is safe for concurrent use.
package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// State says how a check came out.
type State string

// The states. A warning says that something may go wrong, or will be other than one may think; a
// failure that it will go wrong.
const (
	OK      State = "ok"
	Warning State = "warning"
	Failure State = "failure"
)

// Finding is what a check found: one line of the answer.
type Finding struct {
	// of the check, or of a part of it; empty in a check's own answer: that of the check
	Name  string
	State State
	Found string // a short sentence without a full stop
	Do    string // what to do; empty: nothing
	// Settings are those of a load that do it, by their names; a list has its elements, and map its
	// pairs. nil: none do.
	Settings map[string][]string
	Guess    string // what the settings take for granted; empty: nothing
	Wrong    bool   // values are read as others than they are
	// settings of a retry, by which it reads rejected rows; nil: none but Settings do
	Retry map[string][]string
}

// with returns the finding with what does what it says.
func (f Finding) with(settings map[string][]string) Finding {
	f.Settings = settings
	return f
}

// wrong returns the finding as one of values that are read as others than they are.
func (f Finding) wrong() Finding {
	f.Wrong = true
	return f
}

// guessing returns the finding with what does what it says, and what that takes for granted.
func (f Finding) guessing(settings map[string][]string, guess string) Finding {
	f.Settings, f.Guess = settings, guess
	return f
}

// Fine is a finding of something that is as it should be.
func Fine(format string, args ...any) Finding {
	return Finding{State: OK, Found: fmt.Sprintf(format, args...)}
}

// Warn is a finding of something that may go wrong, and what to do.
func Warn(do, format string, args ...any) Finding {
	return Finding{State: Warning, Found: fmt.Sprintf(format, args...), Do: do}
}

// Fail is a finding of something that will go wrong, and what to do.
func Fail(do, format string, args ...any) Finding {
	return Finding{State: Failure, Found: fmt.Sprintf(format, args...), Do: do}
}

// Check is one thing that is looked at.
type Check struct {
	Name string
	// Look gives what was found, in the order in which it is told. It ends soon after its context.
	Look func(ctx context.Context) []Finding
}

// One makes a check of a function that gives one finding.
func One(name string, look func(ctx context.Context) Finding) Check {
	return Check{name, func(ctx context.Context) []Finding { return []Finding{look(ctx)} }}
}

// Run runs the checks at the same time, and calls tell with what each found, in the order of the
// checks, as soon as it is known. A check that has not answered within the limit has failed. The
// error is that of the context, when that ended before all had answered.
func Run(ctx context.Context, limit time.Duration, checks []Check, tell func(Finding)) error {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	answers := make([]chan []Finding, len(checks))
	for i, c := range checks {
		answers[i] = make(chan []Finding, 1)
		go func() { answers[i] <- c.Look(limited) }()
	}
	for i, c := range checks {
		found := wait(limited, answers[i], limit)
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, f := range found {
			if f.Name == "" {
				f.Name = c.Name
			}
			tell(f)
		}
	}
	return nil
}

// lateness is how long a check is waited for whose context has ended: it may be about to say why.
const lateness = 500 * time.Millisecond

func wait(ctx context.Context, answer <-chan []Finding, limit time.Duration) []Finding {
	select {
	case found := <-answer:
		return found
	case <-ctx.Done():
	}
	select {
	case found := <-answer:
		return found
	case <-time.After(lateness):
		return []Finding{
			Fail(
				"see whether a node hangs; --patience sets how long each check may take",
				"no answer within %s",
				limit,
			),
		}
	}
}

// namesShown is how many nodes, files or columns a finding names.
const namesShown = 3

// some names a few of many.
func some(names []string) string {
	if more := len(names) - namesShown; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:namesShown], ", "), more)
	}
	return strings.Join(names, ", ")
}
