package cli

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

// logbook takes what a command prints besides its answer. It writes to the standard error, as lines
// for a person or as a log, and to a log file beside that. It is safe for concurrent use.
type logbook struct {
	err     io.Writer
	verbose bool
	quiet   bool // only errors are said on the standard error
	color   bool // lines for a person have colours
	// screen is the log on the standard error; nil: what stands there are lines for a person.
	screen *record
	file   *record // nil: there is no log file
	closer io.Closer
	page   *page // that shows what is said, too; nil: there is none
}

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

// open has the logbook do as flags say. A format without a file is that of the standard
// error.
func (l *logbook) open(file, format string, verbose bool) error {
	l.verbose = verbose
	switch format {
	case "", logText, logJSON:
	default:
		return fmt.Errorf("--log-format %q: must be %s or %s", format, logText, logJSON)
	}
	if file == "" {
		if format != "" {
			l.screen = newRecord(l.err, format, verbose)
		}
		return nil
	}
	// It has values of rejected rows.
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("--log-file: %w", err)
	}
	l.file = newRecord(&insistent{Writer: f, failed: func(err error) {
		l.line("the log file cannot be written, and ends here: %v", err)
	}}, format, verbose)
	l.closer = f
	return nil
}

// close closes the log file.
func (l *logbook) close() {
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

// say takes a message.
func (l *logbook) say(level slog.Level, format string, args ...any) {
	if level < slog.LevelInfo && !l.verbose {
		return
	}
	for i, arg := range args {
		if err, ok := arg.(error); ok {
			args[i] = safetext.Error(err)
		}
	}
	text := fmt.Sprintf(format, args...)
	l.page.say(text)
	if l.file != nil {
		l.file.Log(context.Background(), level, text)
	}
	switch {
	case l.quiet && level < slog.LevelError:
	case l.screen != nil:
		l.screen.Log(context.Background(), level, text)
	default:
		l.line("%s", text)
	}
}

// line writes a line for a person. On a terminal a live line may stand there, of this
// program or of another one in a pipe. Whatever others wrote into the message stays in the line.
func (l *logbook) line(format string, args ...any) {
	fmt.Fprint(l.err, l.clear()+"cqlbulk: "+safetext.Line(fmt.Sprintf(format, args...))+"\n")
}

func (l *logbook) clear() string {
	if printer.Draws(l.err) {
		return printer.Clear
	}
	return ""
}

// progress takes a reading, for the log file, and where shown is set for the standard error.
func (l *logbook) progress(r progress.Reading, shown bool) {
	tell := func(to *record) {
		if to.json {
			to.Info("progress", "progress", r)
		} else {
			to.Info(printer.Text(r))
		}
	}
	if l.file != nil {
		tell(l.file)
	}
	switch {
	case !shown:
	case l.screen != nil:
		tell(l.screen)
	default:
		fmt.Fprintln(l.err, printer.ColorText(r, l.color))
	}
}

// end takes what became of a command: lines of it for the standard error, all for the log
// file.
func (l *logbook) end(d *report.Document, lines []string) {
	all := d.Lines()
	if len(all) == 0 {
		return
	}
	for _, line := range all {
		l.page.say(line)
	}
	if l.file != nil {
		l.file.end(d, all)
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
func (l *logbook) painted(d *report.Document, line string) string {
	name, rest, _ := strings.Cut(line, " ")
	if !l.color || d.WentWell() || name != "end" {
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
