//go:build integration

package integration

import (
	"os"
	"testing"
)

// either gives what a test takes in `make test`, or in full, as `make test-long` has it,
// which sets CQLBULK_TEST_LONG: waits of their whole length, and so many kills that rare
// moments are among them.
func either[T any](brief, full T) T {
	if os.Getenv("CQLBULK_TEST_LONG") != "" {
		return full
	}
	return brief
}

// lengthy leaves a test to `make test-long`, or to who names it with -run: what it shows
// others show in brief, or it is seldom touched. `make test` sets the variable.
func lengthy(t *testing.T) {
	t.Helper()
	if os.Getenv("CQLBULK_TEST_BRIEF") != "" {
		t.Skip("takes long: make test-long runs it")
	}
}
