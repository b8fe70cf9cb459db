package web

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
)

// heatMap is the ring as the page draws it: a strip of cells for each node. A cell is a digit, so
// that a map of 300 nodes is small enough to be sent each second.
type heatMap struct {
	Strips   []strip
	Progress bool  // there is a view of progress: the ring is read
	Most     int64 // rows of the cell with most
	Bad      []string
	MoreBad  int
}

// strip is the ring of a node. Each text has a digit for each cell: 0 for nothing, 9 for all.
type strip struct {
	Node, Label string
	Done        string // of the cell
	Rows        string // beside the cell with most
	Failed      string
	UnderWay    string // 1: requests are under way
	Share       string
	Failures    int
}

// badShown is the number of nodes with failures that are named above the map.
const badShown = 8

// manyStrips is the number of nodes above which the map has several columns and scrolls. Nodes with
// failures then come first.
const manyStrips = 24

// Many reports whether there are enough nodes for several columns of the map.
func (m heatMap) Many() bool { return len(m.Strips) > manyStrips }

// Empty reports whether the map shows nothing: no row, no failure and no progress.
func (m heatMap) Empty() bool {
	return m.Most == 0 && len(m.Bad) == 0 &&
		!slices.ContainsFunc(
			m.Strips,
			func(s strip) bool { return strings.Trim(s.Done+s.UnderWay, "0") != "" },
		)
}

// heatMapOf draws the ring of a state.
func heatMapOf(s board.State) heatMap {
	m := heatMap{Progress: !s.RowsRing}
	for _, n := range s.Ring {
		if len(n.Rows) > 0 {
			m.Most = max(m.Most, slices.Max(n.Rows))
		}
	}
	name := namesOf(s)
	for _, n := range s.Ring {
		n.Node = name(n.Node)
		one := m.stripOf(n)
		m.Strips = append(m.Strips, one)
		switch {
		case one.Failures == 0:
		case len(m.Bad) < badShown:
			m.Bad = append(m.Bad, n.Node)
		default:
			m.MoreBad++
		}
	}
	if m.Many() {
		slices.SortStableFunc(m.Strips, func(a, b strip) int {
			return cmp.Or(min(b.Failures, 1)-min(a.Failures, 1), compareNames(a.Node, b.Node))
		})
	}
	return m
}

func (m *heatMap) stripOf(n board.NodeRing) strip {
	s := strip{Node: n.Node, Failures: n.Failures()}
	rows, under, sum := make([]float64, len(n.Done)), make([]float64, len(n.Done)), int64(0)
	for i := range n.Done {
		if i < len(n.Rows) {
			rows[i] = float64(n.Rows[i]) / float64(max(m.Most, 1))
			sum += n.Rows[i]
		}
		under[i] = min(float64(n.UnderWay[i])/9, 1)
	}
	failed := n.Failed
	if m.Progress {
		s.Done, s.Share = digits(n.Done), percent(n.DoneShare())
	} else {
		most := max(slices.Max(append([]float64{1}, n.Failed...)), 1)
		failed = make([]float64, len(n.Failed))
		for i, f := range n.Failed {
			failed[i] = f / most
		}
	}
	s.Rows, s.Failed, s.UnderWay = digits(rows), digits(failed), digits(under)
	s.Label = n.Node + ": "
	if m.Progress {
		s.Label += s.Share + " read, "
	}
	s.Label += human.Of(sum, "row") + ", " + percent(n.Share) + " of the ring"
	if requests := n.Requests(); requests > 0 {
		s.Label += ", " + human.Of(requests, "request") + " under way"
	}
	if s.Failures > 0 {
		s.Label += ", failures in " + human.Of(
			s.Failures,
			"part",
		) + " of " + human.Count(
			int64(len(n.Failed)),
		)
	}
	return s
}

// digits writes parts of 1 as digits. Only nothing is 0, and only all is 9.
func digits(all []float64) string {
	var b strings.Builder
	for _, f := range all {
		digit := min(int(math.Ceil(f*9)), 9)
		if digit == 9 && f < 0.999 {
			digit = 8
		}
		b.WriteByte(byte('0' + max(digit, 0)))
	}
	return b.String()
}
