package setting

import (
	"fmt"
	"strconv"
	"strings"
)

// RowLimit is a number of rows, or a share of the rows that are read. Its text is a number such as
// 5000 or 5k, or a share such as 1% or 0.5%.
type RowLimit struct {
	Rows    int64   // negative: no limit; it counts if Percent is 0
	Percent float64 // of the rows read, more than 0 and less than 100; 0: it is no share
}

// NoRowLimit allows any number of rows.
var NoRowLimit = RowLimit{Rows: -1}

// String writes the limit as Set reads it.
func (l *RowLimit) String() string {
	if l.Percent > 0 {
		return strconv.FormatFloat(l.Percent, 'f', -1, 64) + "%"
	}
	return strconv.FormatInt(l.Rows, 10)
}

// Type is what help calls the value.
func (*RowLimit) Type() string { return "number" }

// Set reads a limit.
func (l *RowLimit) Set(text string) error {
	share, ok := strings.CutSuffix(text, "%")
	if !ok {
		var rows int64
		if (number[int64]{&rows}).Set(text) != nil {
			return fmt.Errorf(
				"%q is no number of rows: write it as 5000 or 5k, or as a share such as 1%%",
				text,
			)
		}
		*l = RowLimit{Rows: rows}
		return nil
	}
	percent, err := strconv.ParseFloat(share, 64)
	switch {
	case err != nil || strings.Trim(share, "0123456789.") != "":
		return fmt.Errorf("%q is no share of rows: write it as 1%% or 0.5%%", text)
	case !(percent > 0 && percent < 100):
		return fmt.Errorf(
			"%q: a share is more than 0%% and less than 100%%; 0 allows no row, and -1 any number",
			text,
		)
	}
	*l = RowLimit{Rows: NoRowLimit.Rows, Percent: percent}
	return nil
}
