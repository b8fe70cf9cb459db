package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/cli"
)

// There is a page of each command and topic, and what help has stands in it as it is.
func TestPages(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, write(dir, cli.ManPages("1.2.3", "2026-01-02")))
	page := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(text)
	}
	for _, name := range []string{"man1/cqlbulk.1", "man1/cqlbulk-load.1", "man1/cqlbulk-scan.1", "man1/cqlbulk-version.1", "man1/cqlbulk-config.1", "man1/cqlbulk-config-show.1", "man7/cqlbulk-formats.7", "man7/cqlbulk-connection.7"} {
		require.Contains(t, page(name), `"2026-01-02" "cqlbulk 1.2.3" "cqlbulk"`)
		require.Contains(
			t,
			page(name),
			"\n.SH NAME\n"+strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))+" \\- ",
		)
	}
	load := page("man1/cqlbulk-load.1")
	require.Contains(t, load, "\n.SS Meaning of writes\n")
	require.Contains(t, load, "\\fB-q\\fP, \\fB--quiet\\fP\n")
	require.Contains(t, load, "\\fB--null-string\\fP \\fIlist\\fP\n")
	require.Contains(t, load, `character, or several, between fields; \\t is a tab`)
	require.Contains(t, load, "\n  130  interrupted\n")
	require.Contains(t, load, "cqlbulk load demo.flights 'part-*.csv' --null-string NA")
	require.Contains(t, page("man7/cqlbulk-connection.7"), "\\fB--ssl-server-name\\fP")
}
