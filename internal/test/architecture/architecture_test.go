// Package architecture holds the tests that keep ARCHITECTURE.md and docs/where.md true to the
// code.
package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the repository's, seen from here.
const root = "../../.."

// section returns the text of ARCHITECTURE.md below a heading, up to the next.
func section(t *testing.T, heading string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	require.NoError(t, err)
	_, after, found := strings.Cut(string(text), "\n## "+heading+"\n")
	require.True(t, found, "ARCHITECTURE.md has no section %q", heading)
	body, _, _ := strings.Cut(after, "\n## ")
	return body
}

// quoted finds what stands in backquotes.
var quoted = regexp.MustCompile("`([^`]+)`")

// rows returns the cells of a section's tables, without their heads.
func rows(text string) [][]string {
	var out [][]string
	for line := range strings.Lines(text) {
		switch cells := strings.Split(strings.Trim(line, "| \n"), "|"); {
		case len(cells) < 2:
		case strings.HasPrefix(cells[0], "---"):
			out = out[:len(out)-1] // the head is before it
		default:
			out = append(out, cells)
		}
	}
	return out
}

func TestWhatTheTableSaysWhereIsThere(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "where.md"))
	require.NoError(t, err)
	table := rows(string(text))
	require.NotEmpty(t, table)
	for _, cells := range table {
		var file string
		declared := map[string]bool{}
		named := 0
		for _, name := range quoted.FindAllStringSubmatch(cells[len(cells)-1], -1) {
			if strings.HasSuffix(name[1], ".go") {
				file = name[1]
				declared = declarations(t, filepath.Join(root, file))
				continue
			}
			require.True(
				t,
				declared[name[1]],
				"%s: %s does not declare %s",
				strings.TrimSpace(cells[0]),
				file,
				name[1],
			)
			named++
		}
		require.Positive(t, named, "%s: no name is given", strings.TrimSpace(cells[0]))
	}
}

func TestTheShortTableNamesFolders(t *testing.T) {
	table := rows(section(t, "Where is ..."))
	require.NotEmpty(t, table)
	for _, cells := range table {
		folders := quoted.FindAllStringSubmatch(cells[len(cells)-1], -1)
		require.NotEmpty(t, folders, cells[0])
		for _, folder := range folders {
			require.DirExists(t, filepath.Join(root, folder[1]))
		}
	}
}

// declarations returns what a file declares at its top level: Name, Type.Method and Type.Field.
func declarations(t *testing.T, path string) map[string]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	names := make(map[string]bool)
	for _, d := range file.Decls {
		declare(names, d)
	}
	return names
}

// receiver is the type that a method belongs to and a dot, empty for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if generic, ok := of.(*ast.IndexExpr); ok {
		of = generic.X
	}
	return of.(*ast.Ident).Name + "."
}

// Short names stand in the map for packages whose folder was named just before:
// `internal/scan`, `count`.
func TestEveryPackageIsOnTheMap(t *testing.T) {
	onMap := make(map[string]bool)
	for _, name := range quoted.FindAllStringSubmatch(section(t, "Map"), -1) {
		onMap[name[1]] = true
		for _, below := range []string{"internal", "pkg"} {
			onMap[below+"/"+name[1]] = true
		}
	}
	for _, top := range []string{"cmd", "internal", "pkg", "tools"} {
		err := filepath.WalkDir(
			filepath.Join(root, top),
			func(path string, d fs.DirEntry, err error) error {
				if err != nil || !d.IsDir() {
					return err
				}
				if d.Name() == "testdata" {
					return fs.SkipDir
				}
				sources, err := filepath.Glob(filepath.Join(path, "*.go"))
				if err != nil || len(sources) == 0 {
					return err
				}
				folder, err := filepath.Rel(root, path)
				require.True(
					t,
					onMap[filepath.ToSlash(folder)],
					"the map in ARCHITECTURE.md does not name %s",
					folder,
				)
				return err
			},
		)
		require.NoError(t, err)
	}
}

// knownAssertions has the places that check whether a value has methods that its type does not
// promise. Each has the reason why no wrapper can hide the methods.
var knownAssertions = map[string]string{
	"internal/driver/policy.go":             "gocql's own policy, made in the same function",
	"internal/format/delimited_rows.go":     "codecs; their one wrapper, of the doctor, passes the method on",
	"internal/ingest/fetch.go":              "as in meter.go",
	"internal/ingest/meter.go":              "an input is not wrapped before the meter looks at it",
	"internal/ingest/read.go":               "an input is not wrapped before it is skipped",
	"internal/doctor/sample/values.go":      "that wrapper of codecs",
	"internal/run/advice/through.go":        "an error that joins others, which errors.Join made",
	"internal/filesum/filesum.go":           "a hash of the standard library, or of xxhash, which promise these methods",
	"internal/cli/configfile/configfile.go": "pflag identifies lists in this way; this program makes the values",
	"internal/cli/cqlshcopy/explain.go":     "as in configfile.go",
	"internal/cli/flagset/flags.go":         "as in configfile.go",
	"internal/config/config.go":             "as in configfile.go",
}

// A wrapper that embeds an interface hides every method that the interface does not have. So what
// is asked of a value stands in its interface, and no code tries whether it has more.
func TestNoWrapperHidesMethods(t *testing.T) {
	interfaces := map[string]bool{
		"SliceValue":        true,
		"BinaryMarshaler":   true,
		"BinaryUnmarshaler": true,
	}
	type assertion struct{ file, of string }
	var all []assertion
	for _, top := range []string{"cmd", "internal", "pkg", "tools"} {
		err := filepath.WalkDir(
			filepath.Join(root, top),
			func(path string, _ fs.DirEntry, err error) error {
				if err != nil || !strings.HasSuffix(path, ".go") ||
					strings.HasSuffix(path, "_test.go") {
					return err
				}
				file, err := parser.ParseFile(
					token.NewFileSet(),
					path,
					nil,
					parser.SkipObjectResolution,
				)
				require.NoError(t, err)
				name, err := filepath.Rel(root, path)
				ast.Inspect(file, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.TypeSpec:
						if _, ok := n.Type.(*ast.InterfaceType); ok {
							interfaces[n.Name.Name] = true
						}
					case *ast.TypeAssertExpr:
						switch of := n.Type.(type) {
						case *ast.Ident:
							all = append(all, assertion{name, of.Name})
						case *ast.SelectorExpr:
							all = append(all, assertion{name, of.Sel.Name})
						case *ast.InterfaceType:
							all = append(all, assertion{name, ""})
						}
					}
					return true
				})
				return err
			},
		)
		require.NoError(t, err)
	}
	used := make(map[string]bool)
	for _, a := range all {
		if a.of != "" && !interfaces[a.of] {
			continue
		}
		require.Contains(
			t,
			knownAssertions,
			filepath.ToSlash(a.file),
			"a value is asked whether it is a %q, which a wrapper would hide",
			a.of,
		)
		used[filepath.ToSlash(a.file)] = true
	}
	for file := range knownAssertions {
		require.True(t, used[file], "%s asserts no interface any more", file)
	}
}

// promised finds the tests that docs/streaming-promises.md links to.
var promised = regexp.MustCompile("\\[`(\\w+)`\\]\\(\\.\\./([^)]+)\\)")

func TestEveryPromiseOfStreamingHasItsTest(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "streaming-promises.md"))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| promise |") {
			continue
		}
		tests := promised.FindAllStringSubmatch(line, -1)
		require.NotEmpty(t, tests, "no test is linked: %s", line)
		for _, test := range tests {
			require.True(
				t,
				declarations(t, filepath.Join(root, test[2]))[test[1]],
				"%s does not declare %s",
				test[2],
				test[1],
			)
		}
	}
}
