package simcluster_test

import (
	"testing"

	"go.uber.org/goleak"
)

// Nothing of a cluster outlives it. The driver's own waits, which end by themselves
// some seconds after a session, are not the cluster's.
func TestMain(m *testing.M) {
	const library = "github.com/gocql/gocql."
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction(library+"(*Session).handleNodeUp"),
		goleak.IgnoreAnyFunction(library+"(*hostConnPool).fill"),
		goleak.IgnoreAnyFunction(library+"(*hostConnPool).fill.func1"),
		goleak.IgnoreAnyFunction(library+"(*hostConnPool).connectMany.func1"),
		goleak.IgnoreAnyFunction(library+"(*refreshDebouncer).flusher"),
	)
}
