package cli

import (
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
)

// summary is the last word of a run: how much, how fast, and what was odd.
func (s streams) summary(what string, c *progress.Counters, begin time.Time, details string) {
	elapsed := time.Since(begin)
	rows := c.Rows.Load()
	earlier := c.Earlier.Load()
	speed := int64(float64(rows-earlier) / max(elapsed.Seconds(), 0.001))
	line := fmt.Sprintf("%s: %s rows", what, printer.Count(rows))
	if earlier > 0 {
		line += fmt.Sprintf(", %s of them before", printer.Count(earlier))
	}
	if n := c.Bytes.Load(); n > 0 {
		line += ", " + printer.Size(n)
	}
	line += fmt.Sprintf(" in %s (%s rows/s); %s", printer.Elapsed(elapsed), printer.Count(speed), details)
	if n := c.Retries.Load(); n > 0 {
		line += fmt.Sprintf("; %s retries", printer.Count(n))
	}
	s.warn("%s", line)
}
