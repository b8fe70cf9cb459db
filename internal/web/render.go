package web

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/amount"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
)

var (
	//go:embed pages/page.css
	pageCSS string
	//go:embed pages/page.js
	pageJS string
	//go:embed pages/page.html
	pageHTML string
	//go:embed pages/state.html
	stateHTML string
	//go:embed pages/parts.html
	partsHTML string
	//go:embed pages/report.html
	reportHTML string
)

// templates are the pages. What they show is escaped by where it stands.
var templates = template.Must(parse("parts", partsHTML, "state", stateHTML, "page", pageHTML, "report", reportHTML))

func parse(texts ...string) (*template.Template, error) {
	all := template.New("").Funcs(template.FuncMap{
		"count": amount.Count[int64], "of": of, "size": amount.Size, "percent": percent, "seconds": seconds, "latency": latency,
		"rate": func(f float64) string { return amount.Count(int64(f)) }, "speed": func(f float64) string { return amount.Size(int64(f)) + "/s" },
		"clock": func(t time.Time) string { return t.UTC().Format("15:04:05") }, "date": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
		"chart": chartOf, "cells": cellsOf, "words": words, "dict": dict, "styleHash": styleHash, "style": func() template.CSS { return template.CSS(pageCSS) },
		"part": func(n, most int64) float64 { return tenth(200 * float64(n) / float64(max(most, 1))) }, "thousandths": func(f float64) float64 { return 1000 * f },
		"lines": func(l []board.Line) int64 { return int64(len(l)) },
	})
	for i := 0; i < len(texts); i += 2 {
		if _, err := all.New(texts[i]).Parse(texts[i+1]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// dict gives a template several values.
func dict(pairs ...any) map[string]any {
	all := make(map[string]any)
	for i := 0; i+1 < len(pairs); i += 2 {
		all[pairs[i].(string)] = pairs[i+1]
	}
	return all
}

func render(name string, data any) ([]byte, error) {
	var text bytes.Buffer
	err := templates.ExecuteTemplate(&text, name, data)
	return text.Bytes(), err
}

// renderPage makes the page of a run.
func renderPage(s board.State) ([]byte, error) { return render("page", s) }

// renderState makes the part of the page that changes.
func renderState(s board.State) ([]byte, error) { return render("state", s) }

// percent writes a part of 1. What is not all is not called 100 %.
func percent(share float64) string {
	if share < 1 {
		share = min(share, 0.999)
	}
	return fmt.Sprintf("%.1f %%", 100*share)
}

// of writes how many there are of a thing; templates have numbers of either type.
func of(n any, thing string) string {
	if few, ok := n.(int); ok {
		return amount.Of(few, thing)
	}
	return amount.Of(n.(int64), thing)
}

// seconds writes a number of seconds for a person.
func seconds(s float64) string { return amount.Elapsed(time.Duration(s * float64(time.Second))) }

// latency writes a latency; a dash where there is none.
func latency(s float64) string {
	if s <= 0 {
		return "-"
	}
	return amount.Latency(time.Duration(s * float64(time.Second)))
}

// words says what a phase means.
func words(p board.Phase) string {
	switch p {
	case board.Connecting:
		return "connecting"
	case board.Running:
		return "under way"
	case board.Partly:
		return "done, but for what failed"
	case board.Failed:
		return "failed"
	case board.Interrupted:
		return "interrupted"
	default:
		return "done"
	}
}

// ringWidth and ringHeight are the size of a node's ring, in the units of its drawing; the marks of requests under way
// stand below it.
const (
	ringWidth  = 960.0
	ringHeight = 24.0
)

// cell is a cell of a node's ring, drawn.
type cell struct {
	X, Width  float64
	Y, Height float64 // of what is done, which fills the cell from below
	Failed    bool
	UnderWay  string // a triangle that points at it; empty: nothing is
	Cross     string
	Tip       string
}

// cellsOf draws the ring of a node.
func cellsOf(n board.NodeRing, rows bool) []cell {
	all := make([]cell, len(n.Done))
	width := ringWidth / float64(max(len(n.Done), 1))
	for i, done := range n.Done {
		x := float64(i) * width
		c := cell{X: tenth(x + 0.5), Width: tenth(width - 1), Height: tenth(ringHeight * done), Failed: n.Failed[i] > 0}
		c.Y = tenth(ringHeight - c.Height)
		tip := []string{percent(done) + " done"}
		if rows {
			tip[0] = "rows: " + percent(done) + " of the cell with most"
		}
		if done > 0 && c.Height < 1 {
			c.Y, c.Height = ringHeight-1, 1
		}
		if c.Failed {
			left, right := tenth(x+width*0.2), tenth(x+width*0.8)
			c.Cross = fmt.Sprintf("M%g 8L%g 16M%g 8L%g 16", left, right, right, left)
			if rows {
				tip = append(tip, fmt.Sprintf("%s failed", amount.Of(int64(n.Failed[i]), "request")))
			} else {
				tip = append(tip, percent(n.Failed[i])+" failed")
			}
		}
		if n.UnderWay[i] > 0 {
			middle := tenth(x + width/2)
			c.UnderWay = fmt.Sprintf("M%g 26L%g 31L%g 31Z", middle, tenth(middle-3.5), tenth(middle+3.5))
			tip = append(tip, fmt.Sprintf("%d under way", n.UnderWay[i]))
		}
		c.Tip = strings.Join(tip, ", ")
		all[i] = c
	}
	return all
}

func tenth(f float64) float64 { return float64(int64(f*10+0.5)) / 10 }

// chart is a line over the time of a run.
type chart struct {
	Line, Area string
	Most, Now  float64
	Seconds    float64
}

// The size of a chart, in the units of its drawing.
const (
	chartWidth  = 960.0
	chartHeight = 90.0
)

// chartOf draws the rows a second of a run, or its bytes; nil where there is too little to draw.
func chartOf(history []board.Point, bytes bool) *chart {
	if len(history) < 2 {
		return nil
	}
	value := func(p board.Point) float64 {
		if bytes {
			return p.Bytes
		}
		return p.Rows
	}
	last := history[len(history)-1]
	c := &chart{Seconds: last.Seconds, Now: value(last)}
	for _, p := range history {
		c.Most = max(c.Most, value(p))
	}
	var line strings.Builder
	begin := history[0].Seconds
	for i, p := range history {
		x := tenth(chartWidth * (p.Seconds - begin) / max(last.Seconds-begin, 1))
		y := tenth(chartHeight - (chartHeight-4)*value(p)/max(c.Most, 1))
		fmt.Fprintf(&line, "%s%g %g", map[bool]string{true: "M", false: "L"}[i == 0], x, y)
	}
	c.Line = line.String()
	c.Area = fmt.Sprintf("%sL%g %gL0 %gZ", c.Line, chartWidth, chartHeight, chartHeight)
	return c
}
