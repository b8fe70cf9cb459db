// Package logbook takes what a command prints besides its answer: to the standard error, for a
// person or as a log, to a log file, and to what else shows it.
package logbook

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
	"github.com/cqlbulk/cqlbulk/internal/report"
	"github.com/cqlbulk/cqlbulk/internal/safetext"
)

// The forms of a log.
const (
	logText = "text"
	logJSON = "json"
)

// Log takes what a command prints besides its answer. It writes to the standard error, as lines
// for a person or as a log, and to a log file beside that. It is safe for concurrent use.
type Log struct {
	err io.Writer
	Options
	// screen is the log on the standard error; nil: what stands there are lines for a person.
	screen *record
	record *record // in the log file; nil: there is none
	closer io.Closer
	also   func(line string) // takes each line too; nil: nothing does
}

// New makes a log of lines for a person, on the standard error.
func New(err io.Writer) *Log { return &Log{err: err} }

// Also has each line go to a function as well.
func (l *Log) Also(also func(line string)) { l.also = also }

// record is a log in one of the forms.
type record struct {
	*slog.Logger
	json bool
}

func newRecord(w io.Writer, format string, verbose bool) *record {
	level := slog.LevelInfo
	if verbose {
		level = slog.LevelDebug
	}
	o := &slog.HandlerOptions{Level: level}
	if format == logJSON {
		return &record{slog.New(slog.NewJSONHandler(safetext.JSONWriter(w), o)), true}
	}
	return &record{slog.New(slog.NewTextHandler(w, o)), false}
}

// Options are what flags say of the log.
type Options struct {
	File    string // to write to; empty: none
	Format  string // text or json; empty: lines for a person
	Verbose bool   // details as well
	Quiet   bool   // only errors go to the standard error
	Color   bool   // lines for a person have colours
}

// Open has the logbook do as flags say. A format without a file is that of the standard
// error.
func (l *Log) Open(o Options) error {
	l.Options = o
	switch o.Format {
	case "", logText, logJSON:
	default:
		return fmt.Errorf("--log-format %q: must be %s or %s", o.Format, logText, logJSON)
	}
	if o.File == "" {
		if o.Format != "" {
			l.screen = newRecord(l.err, o.Format, o.Verbose)
		}
		return nil
	}
	// It has values of rejected rows.
	f, err := os.OpenFile(o.File, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("--log-file: %w", err)
	}
	l.record = newRecord(&insistent{Writer: f, failed: func(err error) {
		l.line("the log file cannot be written, and ends here: %v", err)
	}}, o.Format, o.Verbose)
	l.closer = f
	return nil
}

// ForPeople reports whether what stands on the standard error are lines for a person.
func (l *Log) ForPeople() bool { return l.screen == nil }

// ToFile reports whether there is a log file.
func (l *Log) ToFile() bool { return l.record != nil }

// Close closes the log file.
func (l *Log) Close() {
	if l.closer != nil {
		if err := l.closer.Close(); err != nil {
			l.line("the log file: %v", err)
		}
	}
}

// insistent is a writer that says once that nothing more can be written.
type insistent struct {
	io.Writer
	once   sync.Once
	failed func(error)
}

func (w *insistent) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	if err != nil {
		w.once.Do(func() { w.failed(err) })
	}
	return n, err
}

// Say takes a message.
func (l *Log) Say(level slog.Level, format string, args ...any) {
	if level < slog.LevelInfo && !l.Verbose {
		return
	}
	for i, arg := range args {
		if err, ok := arg.(error); ok {
			args[i] = safetext.Error(err)
		}
	}
	text := fmt.Sprintf(format, args...)
	l.tellOthers(text)
	if l.record != nil {
		l.record.Log(context.Background(), level, text)
	}
	switch {
	case l.Quiet && level < slog.LevelError:
	case l.screen != nil:
		l.screen.Log(context.Background(), level, text)
	default:
		l.line("%s", text)
	}
}

func (l *Log) tellOthers(line string) {
	if l.also != nil {
		l.also(line)
	}
}

// line writes a line for a person. On a terminal a live line may stand there, of this
// program or of another one in a pipe. Whatever others wrote into the message stays in the line.
func (l *Log) line(format string, args ...any) {
	fmt.Fprint(l.err, l.clear()+"cqlbulk: "+safetext.Line(fmt.Sprintf(format, args...))+"\n")
}

func (l *Log) clear() string {
	if printer.Draws(l.err) {
		return printer.Clear
	}
	return ""
}

// Progress takes a reading, for the log file, and where shown is set for the standard error.
func (l *Log) Progress(r progress.Reading, shown bool) {
	tell := func(to *record) {
		if to.json {
			to.Info("progress", "progress", r)
		} else {
			to.Info(printer.Text(r))
		}
	}
	if l.record != nil {
		tell(l.record)
	}
	switch {
	case !shown:
	case l.screen != nil:
		tell(l.screen)
	default:
		fmt.Fprintln(l.err, printer.ColorText(r, l.Color))
	}
}

// End takes what became of a command: lines of it for the standard error, all for the log
// file.
func (l *Log) End(d *report.Document, lines []string) {
	all := d.Lines()
	if len(all) == 0 {
		return
	}
	for _, line := range all {
		l.tellOthers(line)
	}
	if l.record != nil {
		l.record.end(d, all)
	}
	switch {
	case len(lines) == 0:
	case l.screen != nil:
		l.screen.end(d, lines)
	default: // at once, as another program of a pipe may write there
		text := l.clear()
		for _, line := range lines {
			text += l.painted(d, safetext.Line(line)) + "\n"
		}
		fmt.Fprint(l.err, text)
	}
}

// painted returns a line of the end, in red if it says that not all went well.
func (l *Log) painted(d *report.Document, line string) string {
	name, rest, _ := strings.Cut(line, " ")
	if !l.Color || d.WentWell() || name != "end" {
		return line
	}
	return name + " " + printer.Red(rest)
}

func (r *record) end(d *report.Document, lines []string) {
	if r.json {
		r.Info("end", "report", d)
		return
	}
	for _, line := range lines {
		r.Info(strings.Join(strings.Fields(line), " "))
	}
}
