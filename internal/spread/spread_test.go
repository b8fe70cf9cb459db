package spread

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each task is done once, however many there are.
func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, least, 2*least + 1, 1000} {
		done := make([]int, n)
		Each(n, func(i int) { done[i]++ })
		for i, times := range done {
			require.Equal(t, 1, times, "%d of %d", i, n)
		}
	}
}

// Tasks that wait for each other run at the same time.
func TestTasksRunTogether(t *testing.T) {
	var all sync.WaitGroup
	all.Add(Workers)
	together := func(i int) {
		if i < Workers {
			all.Done()
			all.Wait()
		}
	}
	Each(Workers*least, together)
	all.Add(Workers)
	EachWaiting(Workers, together)
}
