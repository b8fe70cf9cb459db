package cli

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cqlbulk/cqlbulk/internal/cli/resultview"
	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/report"
	"github.com/cqlbulk/cqlbulk/internal/safetext"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

var errSuggestJSON = errors.New("--suggest and --json: --suggest prints a command alone")

// runSuggest prints the load command for the inputs, and on the standard error what remains to be
// known.
func runSuggest(c *cobra.Command, s streams, show showOptions, d *operation.Doctor) error {
	if err := d.CheckSuggest(); err != nil {
		return err
	}
	if show.JSON {
		return errSuggestJSON
	}
	var written error
	suggestion, result, err := d.Suggest(c.Context(), func(f doctor.Finding) {
		if written == nil {
			written = resultview.WriteFinding(safetext.NewWriter(s.err), f)
		}
	})
	s.end.aside = false
	s.end.document = report.OfDoctor(result)
	if err == nil && written == nil && suggestion != nil {
		words := suggestion.Words()
		if f := c.Flags().Lookup("config"); f != nil && f.Changed {
			words = append(words, "--config", setting.ShellQuote(f.Value.String()))
		}
		_, written = io.WriteString(s.out, strings.Join(words, " ")+"\n")
	}
	if err == nil {
		err = written
	}
	return runError(err, result.Outcome)
}
