//go:build integration

package integration

import (
	"os"
	"testing"
)

// either returns what a test takes in `make test`, or in full in `make test-long`, which sets
// CQLBULK_TEST_LONG. In full, waits have their whole length, and there are enough kills for rare
// moments.
func either[T any](brief, full T) T {
	if os.Getenv("CQLBULK_TEST_LONG") != "" {
		return full
	}
	return brief
}

// lengthy leaves a test to `make test-long`, or to a run that names it with -run. Other tests check
// the same in brief, or its code seldom changes. `make test` sets the variable.
func lengthy(t *testing.T) {
	t.Helper()
	if os.Getenv("CQLBULK_TEST_BRIEF") != "" {
		t.Skip("takes long: make test-long runs it")
	}
}
