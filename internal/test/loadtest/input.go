package loadtest

import (
	"fmt"
	"io"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
)

// Input returns an input with the given text.
func Input(name, s string) ingest.Input {
	return ingest.Input{
		Name: name,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil },
	}
}

// Numbered returns a file of n rows for the table Hits or Events.
func Numbered(header string, n int) string {
	var b strings.Builder
	b.WriteString(header + "\n")
	for i := range n {
		switch strings.Count(header, ",") {
		case 1:
			fmt.Fprintf(&b, "%d,1\n", i)
		default:
			fmt.Fprintf(&b, "%d,0,%d\n", i, i)
		}
	}
	return b.String()
}
