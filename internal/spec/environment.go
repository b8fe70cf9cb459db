package spec

import (
	"fmt"
	"io"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/version"
)

// Environment is what an operation has around it besides its spec.
type Environment struct {
	Stdin  io.Reader
	Stdout io.Writer
	// Warn tells the user, in a line, something that does not stop the run.
	Warn func(format string, args ...any)
	// Log takes what is of interest to whoever looks closely: what the cluster is, what was
	// not learned of it, requests that are sent again, the driver's own words; nil: nobody.
	Log func(format string, args ...any)
	// AskPassword asks the user for a password, once all else is checked.
	AskPassword func(user string) (string, error)
	Build       version.Info // of the program, for the server, the run directory and the manifest
}

// Logf tells whoever looks closely.
func (e Environment) Logf(format string, args ...any) {
	if e.Log != nil {
		e.Log(format, args...)
	}
}

// LogDriver tells what the driver has to say.
func (e Environment) LogDriver(format string, args ...any) {
	e.Logf("driver: %s", strings.TrimRight(fmt.Sprintf(format, args...), "\n"))
}
