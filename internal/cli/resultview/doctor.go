package resultview

import (
	"fmt"
	"io"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/cli/help"
	"github.com/cqlbulk/cqlbulk/internal/doctor"
)

// The columns of a finding.
const (
	findingState = 9
	findingName  = 15
)

// WriteFinding writes a finding, in lines of 80 columns.
func WriteFinding(w io.Writer, f doctor.Finding) error {
	var text strings.Builder
	indent := strings.Repeat(" ", findingState+findingName)
	for i, line := range help.Wrap(f.Found, help.Width-len(indent)) {
		if i == 0 {
			fmt.Fprintf(&text, "%-*s%-*s%s\n", findingState, f.State, findingName, f.Name, line)
		} else {
			fmt.Fprintln(&text, indent+line)
		}
	}
	const do = "do: "
	if f.Do != "" {
		for i, line := range help.Wrap(f.Do, help.Width-len(indent)-len(do)) {
			lead := do
			if i > 0 {
				lead = strings.Repeat(" ", len(do))
			}
			fmt.Fprintln(&text, indent+lead+line)
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}
