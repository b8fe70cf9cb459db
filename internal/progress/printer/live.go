package printer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// Clear takes away what stands on the present line of a terminal: a live line, perhaps of
// another program.
const Clear = "\r\x1b[K"

// live keeps one line on a terminal up to date, and takes it away at the end. As long as
// another program does so on the same terminal, it draws nothing.
func live(ctx context.Context, s screen, title string, c *progress.Counters, every time.Duration) {
	defer s.leave()
	observer := newObserver(time.Now())
	draw := func(now time.Time) {
		stands := observer.observe(now, c)
		if s.claim() {
			fmt.Fprint(s, Clear+fit(title, c, stands, s.width()))
		}
	}
	draw(time.Now())
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			if s.claim() {
				fmt.Fprint(s, Clear)
			}
			return
		case now := <-ticker.C:
			draw(now)
		}
	}
}

// The parts of the live line, the one that matters most first: where there is no room for
// all, the last ones are left out.
const (
	partLosses = iota // rows and ranges that failed
	partShare
	partRows
	partTitle
	partRetries
	partRate
	partLeft
	partSent
	partBar
	parts
)

// shown is the order in which they stand on the line.
var shown = [...]int{partTitle, partBar, partShare, partRows, partRate, partLeft, partSent, partLosses, partRetries}

// The bar takes the room that is left, in these bounds.
const (
	leastBar = 10
	mostBar  = 60
)

// fit makes the live line for a terminal of that many columns: what, how far, how many, how
// fast, how long still, and what went wrong.
func fit(title string, c *progress.Counters, stands standing, columns int) string {
	columns-- // in the last one some terminals begin a new line
	line := [parts]string{
		partLosses: troubles(trouble{c.Rejected.Load(), "rejected"}, trouble{c.Failed.Load(), "ranges failed"}),
		partRows:   stands.rows, partTitle: title, partRetries: troubles(trouble{c.Retries.Load(), "retries"}), partRate: stands.rate, partLeft: stands.left, partSent: stands.sent,
	}
	done, known := c.Share()
	if known {
		line[partShare], line[partBar] = fmt.Sprintf("%.2f%%", 100*done), barOf(done, leastBar)
	}
	for last := partBar; last > partLosses && length(line) > columns; last-- {
		line[last] = ""
	}
	if room := columns - length(line); line[partBar] != "" {
		line[partBar] = barOf(done, min(leastBar+room, mostBar))
	}
	text := join(line)
	if length(line) > columns {
		text = string([]rune(text)[:max(columns, 0)])
	}
	return text
}

func length(line [parts]string) int { return utf8.RuneCountInString(join(line)) }

// join puts the parts into one line.
func join(line [parts]string) string {
	var words []string
	for _, part := range shown {
		if line[part] != "" {
			words = append(words, line[part])
		}
	}
	// What went wrong comes after a comma.
	if first := slices.IndexFunc(words, func(w string) bool { return w == line[partLosses] || w == line[partRetries] }); first > 0 {
		return strings.Join(words[:first], " ") + ", " + strings.Join(words[first:], ", ")
	}
	return strings.Join(words, " ")
}

// barOf draws a share in so many columns.
func barOf(share float64, columns int) string {
	inside := columns - len("[]")
	full := int(share * float64(inside))
	text := strings.Repeat("=", full)
	if full < inside && full > 0 {
		text = text[1:] + ">"
	}
	return "[" + text + strings.Repeat(" ", inside-full) + "]"
}

// trouble is how often something went wrong.
type trouble struct {
	n    int64
	name string
}

// troubles names what went wrong so far; it is empty when all is well.
func troubles(all ...trouble) string {
	var texts []string
	for _, t := range all {
		if t.n > 0 {
			texts = append(texts, Count(t.n)+" "+t.name)
		}
	}
	return strings.Join(texts, ", ")
}
