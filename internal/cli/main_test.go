package cli

import (
	"context"
	"errors"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes this test binary the program itself for the scripts.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"cqlbulk": func() { os.Exit(Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs testdata/script. Scripts have the usual commands, those of a simulated cluster,
// and two more. "exits 1 cqlbulk scan" runs a program and checks its exit status. "offers
// shop.orders cqlbulk __complete scan sh" checks a completion.
func TestScripts(t *testing.T) {
	golden, err := filepath.Abs("../../pkg/sstable/testdata/golden") // SSTables of Cassandra
	if err != nil {
		t.Fatal(err)
	}
	export, err := filepath.Abs("../../deploy/systemd/export")
	if err != nil {
		t.Fatal(err)
	}
	commands := maps.Clone(clusterCommands)
	commands["exits"], commands["glob"], commands["follows"], commands["bytes"], commands["taken"] = exits, glob, follows, writeBytes, taken
	commands["offers"], commands["says"], commands["free"], commands["agree"] = offers, says, free, agree
	commands["earlier"] = copyEarlier
	schema, err := filepath.Abs("../../docs/report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// Under the race detector each program would wait a second at its end.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			// However slow the machine is, no line of progress comes in between.
			env.Setenv("CQLBULK_PROGRESS", "0")
			env.Setenv("GOLDEN", golden)
			env.Setenv("SCHEMA", schema)
			env.Setenv("EXPORT", export)
			env.Values[clusterKey{}] = &simulated{}
			return nil
		},
		Cmds: commands,
	})
}

// writeBytes is the command "bytes FILE TEXT": it writes a file. Name and text are those of a
// string in Go.
func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: bytes file text")
	}
	text, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	name, err := strconv.Unquote(`"` + args[0] + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
}

// glob wants files whose names match a pattern, or none.
func glob(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] glob pattern")
	}
	found, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if neg != (len(found) == 0) {
		ts.Fatalf("%s: %d files", args[0], len(found))
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits status program arguments...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var status *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &status):
		got = status.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d instead of %d", got, want)
	}
}

// elapsed is a time that a run took, as amount.Elapsed writes it.
var elapsed = regexp.MustCompile(`\b[0-9]+m?[0-9.]*s\b`)

// says is the command "says FILE": what was printed last to the standard error is the file's text,
// but for the times that things took.
func says(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: says file")
	}
	timeless := func(name string) string { return elapsed.ReplaceAllString(ts.ReadFile(name), "TIME") }
	if want, got := timeless(args[0]), timeless("stderr"); got != want {
		ts.Fatalf("the standard error is\n%s\nand not\n%s", got, want)
	}
}

// offers is the command "offers WORD PROGRAM ARGUMENTS...": it runs a program that completes a
// word, and wants that one among its answers. On a machine that is busy a cluster may not answer in
// the time that a person who types has: it is asked again.
func offers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: offers word program arguments...")
	}
	for range 30 {
		ts.Check(ts.Exec(args[1], args[2:]...))
		if slices.Contains(strings.Split(ts.ReadFile("stdout"), "\n"), args[0]) {
			return
		}
	}
	ts.Fatalf("%s is not offered", args[0])
}

// taken is the command "taken": it takes a port until the script ends, whose address it leaves in
// TAKEN.
func taken(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: taken")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { _ = l.Close() })
	ts.Setenv("TAKEN", l.Addr().String())
}
