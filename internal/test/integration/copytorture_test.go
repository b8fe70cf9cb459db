//go:build integration

package integration

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Why cqlsh writes a column of the torture table otherwise.
const (
	escapesKept = "it escapes backslashes and control characters, which its COPY FROM leaves escaped"
	pageFails   = "it stops at a null in a tuple, and at a field of a user type that is quoted"
)

// copyToDiffers are the columns that cqlsh writes otherwise, and why.
var copyToDiffers = map[string]string{
	"pk1": escapesKept, "ck2": escapesKept, "s_static": escapesKept, "Mixed Case": escapesKept,
	"c_ascii": escapesKept, "c_text": escapesKept, "c_varchar": escapesKept,
	"c_list": escapesKept, "c_flist": escapesKept,
	"s_tuple": pageFails, "c_tuple": pageFails, "c_udt": pageFails, "c_fudt": pageFails,
	"c_nest":     pageFails,
	"c_decimal":  "its exponent of a scale of -2147483648 has the wrong sign",
	"c_duration": "it writes no text for a duration of zero, which COPY FROM reads as null",
	"c_set":      "it puts NaN first, where the servers have it last",
}

// requireCopiesAlike has cqlsh and copy write each column of a table by itself. They write the same
// bytes, but for the columns of copyToDiffers.
func requireCopiesAlike(t *testing.T, described *schema.Table) {
	t.Helper()
	dir := t.TempDir()
	var all strings.Builder
	statement := func(c schema.Column, path string) string {
		return fmt.Sprintf("COPY it2.torture (%s) TO '%s'", cqltype.QuoteIdent(c.Name), path)
	}
	for i, c := range described.Columns {
		all.WriteString(statement(c, filepath.Join(dir, fmt.Sprintf("theirs-%d.csv", i))) + ";\n")
	}
	said := cqlsh(t, all.String())
	differ := make(map[string]bool)
	for i, c := range described.Columns {
		path := filepath.Join(dir, fmt.Sprintf("ours-%d.csv", i))
		ok(t, "copy", statement(c, path))
		theirs := copiedLines(t, filepath.Join(dir, fmt.Sprintf("theirs-%d.csv", i)), false)
		ours := copiedLines(t, path, false)
		if slices.Equal(theirs, ours) {
			continue
		}
		differ[c.Name] = true
		if copyToDiffers[c.Name] == "" {
			t.Errorf("%s: cqlsh alone wrote %q, and copy %q", c.Name, only(theirs, ours), only(ours, theirs))
		}
	}
	for name := range copyToDiffers {
		require.True(t, differ[name], "%s is the same; all that cqlsh said: %s", name, said)
	}
}

// only returns the lines of one list that the other has not.
func only(lines, other []string) []string {
	return slices.DeleteFunc(
		slices.Clone(lines), func(line string) bool { return slices.Contains(other, line) },
	)
}
