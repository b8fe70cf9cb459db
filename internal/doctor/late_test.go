package doctor

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A column is warned of once, whichever unit comes first and however many goroutines read.
func TestNumbersOfAnotherUnitAreWarnedOfOnce(t *testing.T) {
	l := NewLate("at", "ms", false)
	var told sync.Map
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 3000 {
				if l.Note(now*1000, []byte("1710000000000"), "f", int64(i)) ||
					l.Note(now, []byte("1710000000"), "f", int64(i)) {
					told.Store(fmt.Sprint(g, i), true)
				}
			}
		})
	}
	all.Wait()
	n := 0
	told.Range(func(any, any) bool { n++; return true })
	require.Equal(t, 1, n)
	require.EqualValues(t, 4*3000, l.Odd())
	f, mixed := l.Finding()
	require.True(t, mixed)
	require.Contains(
		t,
		f.Found,
		`f, column "at": numbers of different units: 1,000 look like seconds`,
	)
	require.False(t, NewLate("at", "ms", true).Note(now, []byte("1710000000"), "f", 2))
}

// What is usual costs no memory.
func TestUsualTimesAreNotedWithoutMemory(t *testing.T) {
	l := NewLate("at", "", false)
	number, written := []byte("1710000000000"), []byte("2024-03-09T16:00:00Z")
	l.Note(now*1000, number, "f", 2)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		l.Note(now*1000, number, "f", 3)
		l.Note(now*1000, written, "f", 4)
		l.Note(86_400_001, []byte("86400001"), "f", 5)
	}))
	require.Zero(t, l.Odd())
}

// One unit, whichever, is no mixture, nor are birthdays or a date that is written.
func TestOneUnitIsNoMixture(t *testing.T) {
	for name, texts := range map[string][]string{
		"seconds": {"1710000000", "1710000001"}, "milliseconds": {"1710000000000", "253402300799000"}, "written": {"2024-03-09T16:00:00Z", "1970-01-20"},
	} {
		l := NewLate("at", "ms", false)
		for i, text := range texts {
			ms := map[string]int64{"1710000000": now, "1710000001": now + 1, "1710000000000": now * 1000, "253402300799000": 253402300799000, "2024-03-09T16:00:00Z": now * 1000, "1970-01-20": now}[text]
			require.False(t, l.Note(ms, []byte(text), "f", int64(i)), name)
		}
		require.Zero(t, l.Odd(), name)
	}
	l := NewLate("born", "ms", false)
	l.Note(now*1000, []byte("1710000000000"), "f", 2)
	for i, ms := range birthdays() {
		require.False(t, l.Note(ms, []byte(fmt.Sprint(ms)), "f", int64(i)))
	}
}

func BenchmarkLate(b *testing.B) {
	l := NewLate("at", "ms", false)
	text := []byte("1710000000000")
	for b.Loop() {
		l.Note(now*1000, text, "f", 2)
	}
}
