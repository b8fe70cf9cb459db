package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each message on docs/errors.md is one that the program has: every part of it that is no value is
// in a text of its source.
func TestMessagesOfTheErrorsPage(t *testing.T) {
	texts := sourceTexts(
		t,
		"../../internal",
		"../../pkg",
	) + "unknown flag: --…\n" // which is the library's
	page, err := os.ReadFile("../../docs/errors.md")
	require.NoError(t, err)
	quoted := regexp.MustCompile("`([^`]+)`")
	messages := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.ReplaceAll(line, `\|`, ""), "|")
		if len(cells) != 4 || cells[1] == " message " || strings.HasPrefix(cells[1], "-") {
			continue
		}
		found := quoted.FindAllStringSubmatch(cells[1], -1)
		require.NotEmpty(t, found, line)
		for _, message := range found {
			messages++
			for part := range strings.SplitSeq(message[1], "…") {
				if !printed(texts, strings.Trim(part, " :")) {
					t.Errorf("no text of the program has %q, of the message %q", part, message[1])
				}
			}
		}
	}
	require.Greater(t, messages, 30)
}

// printed reports whether a message is one of the texts, or two of them, one behind the other.
func printed(texts, message string) bool {
	if strings.Contains(texts, message) {
		return true
	}
	for i := range message {
		if i > 0 && message[i] == ' ' && strings.Contains(texts, message[:i]) &&
			strings.Contains(texts, message[i:]) {
			return true
		}
	}
	return false
}

// sourceTexts are the texts in the program's source, with what stands for a value left out.
func sourceTexts(t *testing.T, roots ...string) string {
	t.Helper()
	var all strings.Builder
	verbs := regexp.MustCompile(`%[-+# 0-9.*]*[a-zA-Z]`)
	for _, root := range roots {
		require.NoError(
			t,
			filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
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
				if err != nil {
					return err
				}
				ast.Inspect(file, func(n ast.Node) bool {
					if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
						if text, err := strconv.Unquote(literal.Value); err == nil {
							all.WriteString(verbs.ReplaceAllString(text, "…") + "\n")
						}
					}
					return true
				})
				return nil
			}),
		)
	}
	return all.String()
}
