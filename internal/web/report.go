package web

import (
	"crypto/sha256"
	"encoding/base64"
	"io"

	"github.com/cqlbulk/cqlbulk/internal/progress/board"
)

// Report is what the page of a run that is over shows. What is empty is left out.
type Report struct {
	State    board.State // as its page would show it, or showed it last
	Note     string      // how the run ended, where its phase does not say it
	Made     string      // when, and by what
	Sections []Section
	Failed   []FailedRange
	Files    []File
	Counts   []Count
}

// Section is a list of facts.
type Section struct {
	Title string
	Facts []Fact
}

// Fact is a name and what it is.
type Fact struct{ Name, Value string }

// FailedRange is a token range that could not be read.
type FailedRange struct{ Range, Reason string }

// File is a file of the output.
type File struct {
	Name  string
	Rows  int64
	Bytes int64  // as stored
	Sum   string // algorithm and hex digits
}

// WriteReport writes the page of a run that is over, as one file that needs no other.
func WriteReport(w io.Writer, r Report) error {
	text, err := render("report", r)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// hashOf lets a page have its own style and script, and no other.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
