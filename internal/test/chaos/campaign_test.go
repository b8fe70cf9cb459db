package chaos

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ordinary is how many schedules run with the other tests.
const ordinary = 9

// campaign is what the environment asks for.
type campaign struct {
	first     uint64
	schedules int
	until     time.Time // no schedule begins later; zero: there is no end
	long      bool      // it runs for its numbers
}

func asked(t *testing.T) campaign {
	c := campaign{schedules: ordinary}
	number := func(name string, text string) uint64 {
		n, err := strconv.ParseUint(text, 10, 63)
		require.NoError(t, err, name)
		return n
	}
	if text := os.Getenv("CQLBULK_TEST_CHAOS_SEED"); text != "" {
		c.first, c.schedules = number("CQLBULK_TEST_CHAOS_SEED", text), 1
	}
	if text := os.Getenv("CQLBULK_TEST_CHAOS_SCHEDULES"); text != "" {
		c.schedules, c.long = int(number("CQLBULK_TEST_CHAOS_SCHEDULES", text)), true
	}
	if text := os.Getenv("CQLBULK_TEST_CHAOS_TIME"); text != "" {
		limit, err := time.ParseDuration(text)
		require.NoError(t, err, "CQLBULK_TEST_CHAOS_TIME")
		c.until, c.long = time.Now().Add(limit), true
	}
	if *oneSeed != "" {
		c.first, c.schedules = number("-seed", *oneSeed), 1
	}
	return c
}

// TestCampaign loads and scans under faults: no row is lost, none comes twice, nothing hangs, and
// what the program reports is true.
func TestCampaign(t *testing.T) {
	c := asked(t)
	c.play(t, runSchedule)
}

// play runs the schedule of each seed, and reports what all of them did.
func (c campaign) play(t *testing.T, run func(t *testing.T, seed uint64)) {
	t.Helper()
	begin := time.Now()
	t.Run("seed", func(t *testing.T) {
		for i := range c.schedules {
			seed := c.first + uint64(i)
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				if !c.until.IsZero() && time.Now().After(c.until) {
					return
				}
				defer logProgress(c, begin)
				run(t, seed)
			})
		}
	})
	t.Logf("%s\n%s", time.Since(begin).Round(time.Second), report())
	if c.long {
		fmt.Print(report())
	}
	require.Positive(t, schedules(), "no schedule was run")
}

// logEvery is the number of schedules after which a long campaign reports its progress.
const logEvery = 50

func logProgress(c campaign, begin time.Time) {
	if n := schedules(); c.long && n%logEvery == 0 {
		fmt.Printf(
			"%s: %d schedules, %d failed, %d killed\n",
			time.Since(begin).Round(time.Second),
			n,
			totals.failed.Load(),
			totals.kills.Load(),
		)
	}
}
