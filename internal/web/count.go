package web

import (
	"bufio"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/human"
)

// Count is a number of rows that count --by broke down.
type Count struct {
	By    string // host, range or partition
	Parts []Part // in the order in which they were counted
}

// Part is a part of it.
type Part struct {
	Name string
	Rows int64
}

// longestLine is how long a line of a count may be.
const longestLine = 1 << 20

// ReadCount reads the output of count --by; lines of hosts and ranges end in a share. The file is
// called name in errors, which also have the line.
func ReadCount(name string, r io.Reader) (Count, error) {
	var c Count
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestLine)
	number := 0
	for lines.Scan() {
		number++
		part, by, err := parsePart(strings.Split(lines.Text(), "\t"))
		if err == nil && c.By != "" && by != c.By {
			err = fmt.Errorf("is a line of --by %s among those of --by %s", by, c.By)
		}
		if err != nil {
			return c, fmt.Errorf("%s: line %d: %w", name, number, err)
		}
		c.By = by
		c.Parts = append(c.Parts, part)
	}
	if err := lines.Err(); err != nil {
		return c, fmt.Errorf("%s: line %d: %w", name, number+1, err)
	}
	if number == 0 {
		return c, fmt.Errorf(
			"%s: is empty; it must be what cqlbulk count --by host, range or partition printed",
			name,
		)
	}
	return c, nil
}

// parsePart takes the fields of a line.
func parsePart(fields []string) (p Part, by string, err error) {
	last := len(fields) - 1
	shared := strings.HasSuffix(fields[last], "%")
	switch {
	case shared && last == 2:
		by, p.Name = "host", fields[0]
	case shared && last == 3:
		by, p.Name = "range", "("+fields[0]+", "+fields[1]+"]"
	case !shared && last > 0:
		by, p.Name = "partition", strings.Join(fields[:last], ", ")
	default:
		return p, "", fmt.Errorf(
			"%s: a line of count --by host has 3, of --by range 4, of --by partition a key and a number",
			human.Of(len(fields), "field"),
		)
	}
	rows := fields[last]
	if shared {
		rows = fields[last-1]
	}
	if p.Rows, err = strconv.ParseInt(rows, 10, 64); err != nil || p.Rows < 0 {
		return p, "", fmt.Errorf("%q is no number of rows", rows)
	}
	return p, by, nil
}

// Title says what is counted.
func (c Count) Title() string {
	return map[string]string{"host": "Rows by node", "range": "Rows by range of the ring", "partition": "The largest partitions"}[c.By]
}

// Largest returns the parts with the most rows, up to a fixed number.
func (c Count) Largest() []Part {
	parts := slices.Clone(c.Parts)
	if c.By == "range" {
		slices.SortStableFunc(
			parts,
			func(a, b Part) int { return int(min(max(b.Rows-a.Rows, -1), 1)) },
		)
	}
	return parts[:min(len(parts), largestShown)]
}

const largestShown = 20

// Most is the most rows of a part.
func (c Count) Most() (most int64) {
	for _, p := range c.Parts {
		most = max(most, p.Rows)
	}
	return most
}

// Mean is how many rows a part has on the average.
func (c Count) Mean() float64 {
	sum := 0.0
	for _, p := range c.Parts {
		sum += float64(p.Rows)
	}
	return sum / float64(max(len(c.Parts), 1))
}

// Skew is how many times the mean the largest part has.
func (c Count) Skew() float64 { return float64(c.Most()) / max(c.Mean(), 1) }

// Size is how many parts have a number of rows between bounds.
type Size struct {
	From, To int64
	Parts    int64
}

// Sizes are the parts by their rows, in powers of two; those that no part has are left out.
func (c Count) Sizes() []Size {
	var all []Size
	for _, p := range c.Parts {
		double := bits.Len64(uint64(p.Rows))
		for len(all) <= double {
			from, to := int64(0), int64(0)
			if n := len(all); n > 0 {
				from, to = 1<<(n-1), 1<<n-1
			}
			all = append(all, Size{From: from, To: to})
		}
		all[double].Parts++
	}
	return slices.DeleteFunc(all, func(s Size) bool { return s.Parts == 0 })
}

// MostParts is the number of parts of the size that most have.
func (c Count) MostParts() (most int64) {
	for _, s := range c.Sizes() {
		most = max(most, s.Parts)
	}
	return most
}
