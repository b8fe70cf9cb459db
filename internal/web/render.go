package web

import (
	"bytes"
	_ "embed"
	"html/template"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
)

var (
	//go:embed pages/page.css
	ownCSS string
	//go:embed uplot/uPlot.min.css
	uplotCSS string
	//go:embed uplot/uPlot.iife.min.js
	uplotJS string
	//go:embed pages/draw.js
	drawJS string
	//go:embed pages/page.js
	followJS string
	//go:embed pages/page.html
	pageHTML string
	//go:embed pages/parts.html
	partsHTML string
	//go:embed pages/ring.html
	ringHTML string
	//go:embed pages/report.html
	reportHTML string
)

// The style and the scripts as pages have them. A report has the script without what follows a run.
var (
	pageCSS  = uplotCSS + "\n" + ownCSS
	reportJS = uplotJS + "\n" + drawJS
	pageJS   = reportJS + "\n" + followJS
)

// templates are the pages. What they show is escaped by where it stands.
var templates = template.Must(
	parse("ring files", ringHTML, "parts files", partsHTML, "page", pageHTML, "report", reportHTML),
)

func parse(texts ...string) (*template.Template, error) {
	all := template.New("").Funcs(template.FuncMap{
		"count":       human.Count[int64],
		"of":          of,
		"size":        human.Size,
		"percent":     percent,
		"seconds":     seconds,
		"latency":     latency,
		"rate":        func(f float64) string { return human.Count(int64(f)) },
		"speed":       speed,
		"clock":       func(t time.Time) string { return t.UTC().Format("15:04:05") },
		"date":        func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
		"words":       words,
		"verdict":     verdict,
		"glued":       glued,
		"deed":        deed,
		"held":        held,
		"tiles":       tilesOf,
		"unfinished":  unfinished,
		"above":       above,
		"ends":        expectedEnd,
		"ended":       ended,
		"title":       title,
		"stage":       stageName,
		"figures":     figuresOf,
		"series":      seriesOf,
		"map":         heatMapOf,
		"nodes":       nodesOf,
		"limit":       limitOf,
		"sent":        sentOf,
		"log":         logOf,
		"styleHash":   func() string { return hashOf(pageCSS) },
		"style":       func() template.CSS { return template.CSS(pageCSS) },
		"scriptHash":  func() string { return hashOf(reportJS) },
		"script":      func() template.JS { return template.JS(reportJS) },
		"part":        func(n, most int64) float64 { return tenth(200 * float64(n) / float64(max(most, 1))) },
		"thousandths": func(f float64) int64 { return int64(1000 * f) },
		"plain":       func(s string) string { return strings.ReplaceAll(s, "_", " ") },
	})
	for i := 0; i < len(texts); i += 2 {
		if _, err := all.New(texts[i]).Parse(texts[i+1]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func render(name string, data any) ([]byte, error) {
	var text bytes.Buffer
	err := templates.ExecuteTemplate(&text, name, data)
	return text.Bytes(), err
}

// renderPage makes the page of a run.
func renderPage(s board.State) ([]byte, error) {
	parts, err := partsOf(s)
	if err != nil {
		return nil, err
	}
	return render("page", struct {
		State board.State
		Parts []part
	}{s, parts})
}

// cut returns the first bytes of a text, up to n, without half a character at the end.
func cut(text string, n int) string { return strings.ToValidUTF8(text[:min(n, len(text))], "") }

// percent writes a part of 1 as the live line does, with a blank.
func percent(share float64) string { return strings.TrimSuffix(human.Percent(share), "%") + " %" }

// glued has no line end between a number and its percent sign.
func glued(text string) string { return strings.ReplaceAll(text, " %", "\u00a0%") }

// of writes how many there are of a thing; templates have numbers of either type.
func of(n any, thing string) string {
	if few, ok := n.(int); ok {
		return human.Of(few, thing)
	}
	return human.Of(n.(int64), thing)
}

// seconds writes a number of seconds for a person.
func seconds(s float64) string { return human.Elapsed(time.Duration(s * float64(time.Second))) }

// latency writes a latency; a dash where there is none.
func latency(s float64) string {
	if s <= 0 {
		return "-"
	}
	return human.Latency(time.Duration(s * float64(time.Second)))
}

// words says what a phase means.
func words(p board.Phase) string {
	switch p {
	case board.Connecting:
		return "connecting"
	case board.Running:
		return "running"
	case board.Partly:
		return "incomplete"
	case board.Failed:
		return "failed"
	case board.Interrupted:
		return "interrupted"
	default:
		return "done"
	}
}
