package architecture

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	lower = flag.Bool("lower", false, "write a smaller budget where there are fewer faults")
	list  = flag.String("list", "", "list the faults of a folder")
)

// budgetFile has a line for each folder: its name, and how many banned phrases, long sentences and
// wide lines it may have.
const budgetFile = "testdata/language.txt"

// kinds are the kinds of faults, in the order of the budget.
var kinds = []string{"phrase", "sentence", "width"}

// TestTheLanguageOnlyGetsPlainer counts what makes text hard to read, folder by folder, and
// compares it with the budget, which may only fall. With -args -list FOLDER it prints the faults of
// one, and with -args -lower it writes a smaller budget.
func TestTheLanguageOnlyGetsPlainer(t *testing.T) {
	counted := make(map[string]map[string]int)
	require.NoError(
		t,
		filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			if entry.IsDir() {
				if name != "." && strings.HasPrefix(entry.Name(), ".") ||
					entry.Name() == "testdata" ||
					entry.Name() == "bin" {
					return filepath.SkipDir
				}
				return nil
			}
			found, err := read(path)
			if err != nil {
				return err
			}
			folder := filepath.Dir(name)
			if counted[folder] == nil {
				counted[folder] = make(map[string]int)
			}
			for _, f := range found {
				counted[folder][f.kind]++
				if *list == folder {
					t.Logf("%s:%d: %s: %s", name, f.line, f.kind, f.what)
				}
			}
			return nil
		}),
	)
	budget := readBudget(t)
	if *lower {
		for folder, count := range counted {
			if had, known := budget[folder]; known {
				for _, kind := range kinds {
					count[kind] = min(count[kind], had[kind])
				}
			}
		}
		writeBudget(t, counted)
		return
	}
	for _, folder := range slices.Sorted(maps.Keys(counted)) {
		for _, kind := range kinds {
			has, may := counted[folder][kind], budget[folder][kind]
			if has > may {
				t.Errorf(
					"%s: %s: %d faults, and may have %d: go test ./internal/test/architecture -run Language -v -args -list %s",
					folder,
					kind,
					has,
					may,
					folder,
				)
			}
			if has < may {
				t.Errorf(
					"%s: %s: %d faults, and may have %d: go test ./internal/test/architecture -run Language -args -lower",
					folder,
					kind,
					has,
					may,
				)
			}
		}
	}
}

// read returns the faults of a file.
func read(path string) ([]fault, error) {
	var prose []passage
	var lines []string
	var err error
	var mayBe func(line string) bool
	switch {
	case filepath.Base(path) == "prose_test.go":
		return nil, nil // it has the phrases themselves
	case filepath.Ext(path) == ".go":
		prose, lines, err = goProse(path)
		// A string is not broken for its length: a reader searches for the whole of it.
		mayBe = func(line string) bool { return strings.ContainsAny(line, "\"`") }
	case filepath.Ext(path) == ".md":
		prose, lines, err = markdownProse(path)
		mayBe = func(line string) bool { return strings.HasPrefix(line, "|") || len(strings.Fields(line)) < 3 }
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []fault
	for _, p := range prose {
		all = append(all, p.faults()...)
	}
	return append(all, wide(lines, mayBe)...), nil
}

func readBudget(t *testing.T) map[string]map[string]int {
	budget := make(map[string]map[string]int)
	text, err := os.ReadFile(budgetFile)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var folder string
		counts := make([]int, len(kinds))
		_, err := fmt.Sscan(line, &folder, &counts[0], &counts[1], &counts[2])
		require.NoError(t, err, line)
		budget[folder] = make(map[string]int)
		for i, kind := range kinds {
			budget[folder][kind] = counts[i]
		}
	}
	return budget
}

func writeBudget(t *testing.T, counted map[string]map[string]int) {
	var text strings.Builder
	text.WriteString(
		"# folder, banned phrases, sentences over 25 words, lines over 100 columns: only lower numbers are right\n",
	)
	for _, folder := range slices.Sorted(maps.Keys(counted)) {
		c := counted[folder]
		if c["phrase"]+c["sentence"]+c["width"] > 0 {
			fmt.Fprintf(&text, "%s %d %d %d\n", folder, c["phrase"], c["sentence"], c["width"])
		}
	}
	require.NoError(t, os.WriteFile(budgetFile, []byte(text.String()), 0o600))
}
