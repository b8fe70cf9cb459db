package main

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/human"
)

// Measures of the plot, in pixels.
const (
	plotLabels  = 290 // width of the contestants' names
	plotPanel   = 190 // width of a panel's bars, where the longest ends
	plotValue   = 60  // room for the number behind a bar
	plotBar     = 14
	plotRow     = 22 // from one bar to the next
	plotHead    = 66 // above the bars of a dataset
	plotMargin  = 16
	plotCaption = 34 // below all
)

// The colours of the ways. People who see no red or no green can distinguish them too.
var wayColours = [...]string{byCQL: "#d98b2b", bySSTables: "#2f6fb0", byPostgres: "#8a8a8a"}

// plot draws the medians of each figure as bars, a row of panels for each dataset, with a dot for
// each round, as SVG.
func plot(r *report) []byte {
	width := plotMargin*2 + plotLabels + len(figures)*(plotPanel+plotValue)
	section := plotHead + len(r.Contestants)*plotRow
	height := plotMargin*2 + len(r.Datasets)*section + plotCaption
	var b strings.Builder
	fmt.Fprintf(
		&b,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="12">`+"\n",
		width,
		height,
	)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", width, height)
	for i, d := range r.Datasets {
		top := plotMargin + i*section
		fmt.Fprintf(
			&b,
			`<text x="%d" y="%d" font-size="15" font-weight="bold">%s, %s rows</text>`+"\n",
			plotMargin,
			top+24,
			html.EscapeString(d.Name),
			human.Count(d.Rows),
		)
		for row, c := range r.Contestants {
			fmt.Fprintf(
				&b,
				`<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n",
				plotMargin+plotLabels-10,
				top+plotHead+row*plotRow+plotBar-2,
				html.EscapeString(c.Title),
			)
		}
		for column, f := range figures {
			drawPanel(&b, r, d.Name, f, plotMargin+plotLabels+column*(plotPanel+plotValue), top)
		}
	}
	drawCaption(&b, height-plotMargin)
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// drawPanel draws one figure of one dataset. Each panel has a scale of its own, from zero.
func drawPanel(b *strings.Builder, r *report, dataset string, f figure, left, top int) {
	longest := 0.0
	for _, c := range r.Contestants {
		longest = slices.Max(append(r.values(dataset, c.Name, f), longest))
	}
	x := func(v float64) float64 { return float64(left) + v/longest*plotPanel }
	first := top + plotHead
	fmt.Fprintf(
		b,
		`<text x="%d" y="%d" font-weight="bold">%s, %s</text>`+"\n",
		left,
		first-12,
		f.title,
		f.unit,
	)
	fmt.Fprintf(
		b,
		`<line x1="%d" y1="%d" x2="%[1]d" y2="%d" stroke="#444444"/>`+"\n",
		left,
		first-4,
		first+len(r.Contestants)*plotRow-4,
	)
	for row, c := range r.Contestants {
		y := first + row*plotRow
		m := r.median(dataset, c.Name, f)
		if math.IsNaN(m) {
			fmt.Fprintf(
				b,
				`<text x="%d" y="%d" fill="#b00000">failed</text>`+"\n",
				left+6,
				y+plotBar-2,
			)
			continue
		}
		end := m
		if longest > 0 {
			fmt.Fprintf(
				b,
				`<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n",
				left,
				y,
				x(m)-float64(left),
				plotBar,
				wayColours[c.Way],
			)
			for _, v := range r.values(dataset, c.Name, f) {
				fmt.Fprintf(
					b,
					`<circle cx="%.1f" cy="%d" r="2.5" fill="#ffffff" stroke="#222222"/>`+"\n",
					x(v),
					y+plotBar/2,
				)
				end = max(end, v)
			}
		}
		at := float64(left)
		if longest > 0 {
			at = x(end)
		}
		fmt.Fprintf(b, `<text x="%.1f" y="%d">%s</text>`+"\n", at+6, y+plotBar-2, number(m))
	}
}

// drawCaption explains the colours and the dots.
func drawCaption(b *strings.Builder, y int) {
	at := plotMargin
	for _, k := range []struct {
		colour, text string
	}{
		{wayColours[byCQL], "through CQL"},
		{wayColours[bySSTables], "SSTables, streamed"},
		{wayColours[byPostgres], "PostgreSQL, for scale"},
	} {
		fmt.Fprintf(
			b,
			`<rect x="%d" y="%d" width="12" height="12" fill="%s"/><text x="%d" y="%d">%s</text>`+"\n",
			at,
			y-11,
			k.colour,
			at+18,
			y,
			k.text,
		)
		at += 170
	}
	fmt.Fprintf(
		b,
		`<text x="%d" y="%d">bars are medians, dots are rounds; less is better</text>`+"\n",
		at,
		y,
	)
}
