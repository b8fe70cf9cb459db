package copystmt

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// parts is a statement as cqlsh's parser returns it.
type parts struct {
	Keyspace, Table, Direction    string
	Columns, Files, Names, Values []string
}

// partsOf returns the parts of a Statement.
func partsOf(s *Statement) *parts {
	p := &parts{
		Keyspace: s.Keyspace, Table: s.Table, Direction: s.Direction.String(),
		Columns: append([]string{}, s.Columns...), Files: append([]string{}, s.Files...),
		Names: []string{}, Values: []string{},
	}
	for _, o := range s.Options {
		p.Names, p.Values = append(p.Names, o.Name), append(p.Values, o.Value)
	}
	return p
}

// withoutDollars removes the $$ that cqlsh keeps around a text.
func withoutDollars(texts []string) {
	for i, text := range texts {
		if len(text) >= 4 && strings.HasPrefix(text, "$$") && strings.HasSuffix(text, "$$") {
			texts[i] = text[2 : len(text)-2]
		}
	}
}

// TestAgreesWithCqlsh compares with the parser of the cqlsh in the environment variable
// CQLBULK_TEST_CQLSH.
func TestAgreesWithCqlsh(t *testing.T) {
	path := os.Getenv("CQLBULK_TEST_CQLSH")
	if path == "" {
		t.Skip("CQLBULK_TEST_CQLSH does not name a cqlsh")
	}
	var statements []string
	for _, tc := range good {
		if !tc.ours {
			statements = append(statements, strings.TrimSuffix(tc.text, ";")+";")
		}
	}
	taken := len(statements)
	for _, tc := range refused {
		if !tc.ours {
			statements = append(statements, tc.text)
		}
	}
	input, err := json.Marshal(statements)
	require.NoError(t, err)
	python := exec.CommandContext(
		t.Context(),
		filepath.Join(filepath.Dir(path), "python3"),
		"-W",
		"ignore",
		"testdata/cqlsh.py",
	)
	python.Env = append(python.Environ(), "PYTHONIOENCODING=utf-8", "LC_ALL=C.UTF-8")
	var complaints bytes.Buffer
	python.Stdin, python.Stderr = bytes.NewReader(input), &complaints
	out, err := python.Output()
	require.NoError(t, err, complaints.String())
	var theirs []*parts
	require.NoError(t, json.Unmarshal(out, &theirs))
	require.Len(t, theirs, len(statements))
	for i, text := range statements {
		if i >= taken {
			require.Nil(t, theirs[i], text)
			continue
		}
		ours, err := Parse(text)
		require.NoError(t, err, text)
		require.NotNil(t, theirs[i], text)
		withoutDollars(theirs[i].Files)
		withoutDollars(theirs[i].Values)
		require.Equal(t, theirs[i], partsOf(ours), text)
	}
}
