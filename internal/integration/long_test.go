//go:build integration

package integration

import "os"

// either gives what a test takes in `make test`, or in full, as `make test-long` has it,
// which sets CQLBULK_TEST_LONG: waits of their whole length, and so many kills that rare
// moments are among them.
func either[T any](brief, full T) T {
	if os.Getenv("CQLBULK_TEST_LONG") != "" {
		return full
	}
	return brief
}
