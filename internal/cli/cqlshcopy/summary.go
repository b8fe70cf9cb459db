package cqlshcopy

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Imported returns the last line that cqlsh prints for COPY FROM. Scripts parse it. The line break
// before it ends cqlsh's line of progress. skipped is the number in SKIPROWS.
func Imported(rows int64, files int, took time.Duration, skipped int64) string {
	return fmt.Sprintf(
		"\n%d rows imported from %d files in %s (%d skipped).\n",
		rows,
		files,
		interval(took),
		skipped,
	)
}

// Exported returns the last line that cqlsh prints for COPY TO.
func Exported(rows int64, files int, took time.Duration) string {
	return fmt.Sprintf("\n%d rows exported to %d files in %s.\n", rows, files, interval(took))
}

// Failed returns what cqlsh prints of rows that it could not import. where names the file that has
// these rows.
func Failed(rows int64, where string) string {
	return fmt.Sprintf("Failed to process %d rows; failed rows written to %s", rows, where)
}

// interval returns a time as describe_interval of cqlsh's copyutil.py does on Python 3. There a
// division by the length of a unit has a fraction. So a second is more than "0 day", and 61 seconds
// are "1 minutes".
func interval(took time.Duration) string {
	seconds := took.Seconds()
	var units []string
	for _, unit := range []struct {
		name   string
		length float64 // in seconds
	}{{"day", 86400}, {"hour", 3600}, {"minute", 60}} {
		if n := math.Trunc(seconds) / unit.length; n > 0 {
			text := fmt.Sprintf("%d %s", int64(n), unit.name)
			if n > 1 {
				text += "s"
			}
			units = append(units, text)
		}
		seconds = math.Mod(seconds, unit.length)
	}
	rest := fmt.Sprintf("%.3f seconds", seconds)
	switch len(units) {
	case 0:
		return rest
	case 1:
		return units[0] + " and " + rest
	default:
		return strings.Join(units, ", ") + ", and " + rest
	}
}
