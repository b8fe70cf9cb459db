package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStatements(t *testing.T) {
	require.Equal(
		t,
		[]string{"USE a;", "CREATE TABLE t (\n  k int);"},
		statements(
			"-- a comment; with a semicolon;\nUSE a;\n\n  CREATE TABLE t (\n  -- key\n  k int);  \nleft over",
		),
	)
}
