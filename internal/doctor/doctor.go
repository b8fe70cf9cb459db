// Package doctor judges whether a cluster, a table and inputs are ready for a command. If they are
// not, it says what to do.
//
// A [Check] has a name and a function that returns findings, as data ([Finding]). [Run] runs checks
// side by side, and limits the time of each. If one node hangs, one line of the answer is missing.
// The rest of the package judges facts: [Clocks] the clocks of nodes, [Certificates] when
// certificates end, [AsDates] the dates in inputs. It connects to nothing. Package probe asks
// a cluster for the facts, and package sample reads inputs for them. The command line formats
// findings.
//
// Functions that judge facts change none of them, and are safe for concurrent use.
package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// State says how a check came out.
type State string

// The states. Warning: something may go wrong, or differs from what the user may expect. Failure:
// it will go wrong.
const (
	OK      State = "ok"
	Warning State = "warning"
	Failure State = "failure"
)

// Finding is what a check found: one line of the answer.
type Finding struct {
	// Name of the check, or of a part of it. If it is empty, Run sets the name of the check.
	Name  string
	State State
	Found string // a short sentence without a full stop
	Do    string // what to do; empty: nothing
	// Settings of a load that do it, by name. A list has its elements, and map its pairs. nil: no
	// setting does it.
	Settings map[string][]string
	Guess    string // what the settings assume; empty: nothing
	Wrong    bool   // values are read as other values
	// Retry has the settings by which a retry reads rejected rows, besides Settings; nil: none.
	Retry map[string][]string
}

// with returns the finding with the settings that do what it says.
func (f Finding) with(settings map[string][]string) Finding {
	f.Settings = settings
	return f
}

// wrong returns the finding, marked as about values that are read as other values.
func (f Finding) wrong() Finding {
	f.Wrong = true
	return f
}

// guessing returns the finding with the settings that do what it says, and what these assume.
func (f Finding) guessing(settings map[string][]string, guess string) Finding {
	f.Settings, f.Guess = settings, guess
	return f
}

// Fine returns a finding that nothing is wrong.
func Fine(format string, args ...any) Finding {
	return Finding{State: OK, Found: fmt.Sprintf(format, args...)}
}

// Warn returns a finding that something may go wrong, and what to do.
func Warn(do, format string, args ...any) Finding {
	return Finding{State: Warning, Found: fmt.Sprintf(format, args...), Do: do}
}

// Fail returns a finding that something will go wrong, and what to do.
func Fail(do, format string, args ...any) Finding {
	return Finding{State: Failure, Found: fmt.Sprintf(format, args...), Do: do}
}

// FailOf returns a failure with the text of an error, on one line.
func FailOf(err error) Finding {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	return Fail("", "%s", strings.Join(lines, "; "))
}

// Failures returns a failure for each line of an error.
func Failures(err error) (out []Finding) {
	for line := range strings.Lines(err.Error()) {
		out = append(out, Fail("", "%s", strings.TrimSpace(line)))
	}
	return out
}

// Check is one check of a cluster, a table or inputs.
type Check struct {
	Name string
	// Look returns the findings in their order. It returns soon after its context ends.
	Look func(ctx context.Context) []Finding
}

// One returns a check with a function that returns one finding.
func One(name string, look func(ctx context.Context) Finding) Check {
	return Check{name, func(ctx context.Context) []Finding { return []Finding{look(ctx)} }}
}

// Run runs the checks at the same time. It calls show with each finding as soon as it is known, in
// the order of the checks. A check that takes longer than the limit fails. If the context ends
// before all checks do, Run returns its error.
func Run(ctx context.Context, limit time.Duration, checks []Check, show func(Finding)) error {
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
			show(f)
		}
	}
	return nil
}

// lateness is the time that a check has to return after its context has ended, to say why.
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

// namesShown is the number of nodes, files or columns that a finding names.
const namesShown = 3

// some returns the first names, and the number of the others.
func some(names []string) string {
	if more := len(names) - namesShown; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:namesShown], ", "), more)
	}
	return strings.Join(names, ", ")
}
