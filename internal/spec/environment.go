package spec

import (
	"fmt"
	"io"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/store/stores"
	"github.com/cqlbulk/cqlbulk/internal/version"
)

// Environment has the streams and functions that an operation uses besides its settings.
type Environment struct {
	Stdin  io.Reader
	Stdout io.Writer
	Stores *stores.Stores // of inputs; nil: the disk alone
	// Warn prints a line for the user about something that does not stop the run.
	Warn func(format string, args ...any)
	// Log writes details: what the cluster is, what was not learned of it, requests that are
	// retried, messages of the driver; nil disables it.
	Log func(format string, args ...any)
	// AskPassword asks the user for a password, once all else is checked.
	AskPassword func(user string) (string, error)
	Build       version.Info // of the program, for the server, the run directory and the manifest
}

// Logf writes a detail to Log, if there is one.
func (e Environment) Logf(format string, args ...any) {
	if e.Log != nil {
		e.Log(format, args...)
	}
}

// LogDriver writes a message of the driver to Log.
func (e Environment) LogDriver(format string, args ...any) {
	e.Logf("driver: %s", strings.TrimRight(fmt.Sprintf(format, args...), "\n"))
}
