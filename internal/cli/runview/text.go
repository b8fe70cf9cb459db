package runview

import (
	"fmt"
	"io"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/status"
	"github.com/cqlbulk/cqlbulk/internal/safetext"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// WriteFact writes a line of a table: a name, and what there is to say, which stays in the line.
func WriteFact(w io.Writer, name, format string, args ...any) {
	fmt.Fprintf(w, "%s\t%s\n", name, safetext.Line(fmt.Sprintf(format, args...)))
}

// ClusterText names a cluster and its contact points, most of them at most; empty: nothing is
// known.
func ClusterText(name string, hosts []string, most int) string {
	shown := strings.Join(hosts[:min(most, len(hosts))], ", ")
	if more := len(hosts) - most; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	switch {
	case name != "" && shown != "":
		return fmt.Sprintf("%s (%s)", name, shown)
	default:
		return name + shown
	}
}

// BegunShown is how many pieces under way are listed.
const BegunShown = 20

// WriteLoad shows what there is to know of a load besides how far it is.
func WriteLoad(w io.Writer, l *status.Load) {
	known := ""
	if l.Piped {
		known = ", and what comes by pipes"
	}
	WriteFact(w, "inputs", "%s%s", inputsText(l), known)
	printPieces(l, func(name, format string, args ...any) { WriteFact(w, name, format, args...) })
	for i, p := range l.Begun {
		if i == BegunShown {
			WriteFact(w, "", "and %s more", human.Count(len(l.Begun)-i))
			break
		}
		WriteFact(w, "begun", "%s, bytes %d to %d", p.Path, p.From, p.To)
	}
	for _, change := range l.Changed {
		WriteFact(w, "changed", "%s", ChangeText(change))
	}
	showRetried(w, l)
}

// inputsText says what a load takes in, pipes left out.
func inputsText(l *status.Load) string {
	return fmt.Sprintf("%s, %s as stored", human.Count(l.Inputs), human.Size(l.Stored))
}

// printPieces prints how much of the inputs is completed, and what was streamed to nodes.
func printPieces(l *status.Load, tell func(name, format string, args ...any)) {
	tell("recorded", "%s of text, in %s", human.Size(l.Settled), human.Of(l.Pieces, "piece"))
	for _, n := range l.Streams {
		tell(
			"streamed",
			"%s to %s, %s",
			human.Size(n.Bytes),
			n.Node,
			human.Of(n.Sessions, "session"),
		)
	}
}

// showRetried prints the number of rejects that were loaded again.
func showRetried(w io.Writer, l *status.Load) {
	names := strings.Join(l.Retried, ", ")
	if len(l.Reread) > 0 {
		names += ", read with " + FlagsWith(l.Reread)
	}
	switch {
	case len(l.Retried) == 0:
	case len(l.Lost) > 0:
		WriteFact(
			w,
			"retried",
			"%s; whether all of it was loaded is not known: the folder of that load was removed",
			names,
		)
	case l.Tries == 0:
		WriteFact(w, "retried", "%s; nothing of it was left over", names)
	default:
		WriteFact(w, "retried", "%s, or begun to be", names)
	}
}

// ChangeText returns the line for a setting that has changed.
func ChangeText(c recorded.Change) string {
	was := "not given"
	if !flagset.IsEmpty(c.Was) {
		was = setting.ListText(c.Was)
	}
	return fmt.Sprintf("%s (before: %s)", flagset.AsTyped(c.Name, c.Now), was)
}

// FlagsWith are changed settings as flags.
func FlagsWith(changes []recorded.Change) string {
	var with []string
	for _, change := range changes {
		with = append(with, flagset.AsTyped(change.Name, change.Now))
	}
	return strings.Join(with, " ")
}
