package driver

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Messages of the driver's goroutines come one at a time, and none after the session is closed.
func TestLogger(t *testing.T) {
	var told []string
	l := &logger{
		tell: func(format string, args ...any) {
			told = append(told, fmt.Sprintf(format, args...))
		},
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				l.Print("a ", 1, "%d")
			}
		})
	}
	for range 50 {
		l.Printf("%d", 2)
	}
	l.close()
	before := len(told)
	all.Wait()
	l.Println("late")
	require.Len(t, told, before)
	require.Contains(t, told, "2")
	for _, s := range told {
		require.Contains(t, []string{"a 1%d", "2"}, s)
	}
}
