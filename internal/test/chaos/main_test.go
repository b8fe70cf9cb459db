package chaos

import (
	"context"
	"flag"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/cqlbulk/cqlbulk/internal/cli"
)

// programVariable makes the test binary the program. Its name is not one of the
// program's own settings.
const programVariable = "CHAOS_IS_CQLBULK"

var oneSeed = flag.String("seed", "", "run the schedule of this seed alone")

// schedulesAtOnce is how many schedules run at the same time for each processor: most
// of their time is waiting.
const schedulesAtOnce = 2

func TestMain(m *testing.M) {
	if os.Getenv(programVariable) != "" {
		os.Exit(
			withoutLeaks(
				cli.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr),
			),
		)
	}
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		if err := flag.Set(
			"test.parallel",
			strconv.Itoa(schedulesAtOnce*runtime.GOMAXPROCS(0)),
		); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
