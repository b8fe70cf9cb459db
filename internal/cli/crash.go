package cli

import (
	"bytes"
	"log/slog"
	"runtime/debug"
)

// guarded runs a command, and reports a panic of its goroutine as an error that ended it.
func (s streams) guarded(run func() int) (code int) {
	defer func() {
		if fault := recover(); fault != nil {
			s.log.Say(
				slog.LevelError,
				"stopped by a fault of cqlbulk itself, which you can report with what follows: %v",
				fault,
			)
			for line := range bytes.Lines(debug.Stack()) {
				s.log.Say(slog.LevelError, "%s", bytes.TrimRight(line, "\n"))
			}
			code = exitFatal
		}
	}()
	return run()
}
