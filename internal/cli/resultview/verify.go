package resultview

import (
	"bufio"
	"fmt"
	"io"

	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/safetext"
	"github.com/cqlbulk/cqlbulk/internal/verify"
)

// WriteVerify writes the answer.
func WriteVerify(w io.Writer, r operation.VerifyReport) error {
	out := bufio.NewWriter(w)
	if r.Verdict != verify.Alone {
		fmt.Fprintln(out, r.Verdict)
	}
	sets, named := r.Sets, true
	if r.Verdict == verify.Alone || r.Verdict == verify.Same {
		sets, named = sets[:1], false
	}
	for _, set := range sets {
		sum, name := "none", ""
		if set.Summed {
			sum = set.Sum.String()
		}
		if named {
			name = " " + safetext.Line(set.Name)
		}
		fmt.Fprintf(out, "rows %d%s\nchecksum %s%s\n", set.Rows, name, sum, name)
	}
	fmt.Fprintf(out, "files %d\n", r.Files)
	for _, set := range r.Sets {
		if set.Shards > 0 {
			fmt.Fprintf(out, "shards %d/%d\n", set.Given, set.Shards)
		}
	}
	return out.Flush()
}
