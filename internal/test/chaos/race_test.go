package chaos

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// raceLog begins the names of the files that the race detector writes to.
const raceLog = "race"

// raceOptions make the race detector log each race and let the program continue, with the exit
// status that it would have without one. The detector does not wait a second at the end of each
// process.
func raceOptions(dir string) string {
	return fmt.Sprintf(
		"GORACE=atexit_sleep_ms=0 halt_on_error=0 exitcode=0 log_path=%s",
		filepath.Join(dir, raceLog),
	)
}

// libraryRace is in a race of the driver library's own. Goroutines that wait for one statement to
// be prepared share one error, and each records in it whether its request may have been carried
// out. The record is conservative, and this program asks for the cause inside.
const libraryRace = "gocql.(*queryExecutor).do.func1()"

// checkRaces says that the race detector has seen none but that one.
func checkRaces(t *testing.T, dir string) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(dir, raceLog+".*"))
	require.NoError(t, err)
	for _, log := range logs {
		text, err := os.ReadFile(log)
		require.NoError(t, err)
		for _, race := range strings.Split(string(text), "==================") {
			if strings.Contains(race, "DATA RACE") && !ofLibrary(race) {
				t.Errorf("%s", race)
			}
		}
		require.NoError(t, os.Remove(log))
	}
}

// ofLibrary says that both sides of a race are the library's.
func ofLibrary(race string) bool {
	sides := 0
	for part := range strings.SplitSeq(race, "\n\n") {
		lines := strings.Split(strings.TrimSpace(part), "\n")
		for _, line := range lines[:min(len(lines), 6)] {
			if strings.Contains(line, libraryRace) {
				sides++
				break
			}
		}
	}
	return sides == 2
}
