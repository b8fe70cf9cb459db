package driver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseConsistency(t *testing.T) {
	for _, text := range []string{"LOCAL_QUORUM", "local_quorum", "localquorum"} {
		level, err := ParseConsistency(text)
		require.NoError(t, err)
		require.Equal(t, "LOCAL_QUORUM", level)
	}
	_, err := ParseConsistency("most")
	require.ErrorContains(t, err, `unknown consistency level "most"; the levels are ANY, ONE,`)
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int{"5KiB": 5 << 10, "16384KiB": 16 << 20, "10": 10, "2MiB": 2 << 20, "1GiB": 1 << 30, "7B": 7} {
		got, err := parseSize(text)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "KiB", "5XiB", "null", "5MK"} {
		_, err := parseSize(text)
		require.Error(t, err, text)
	}
}
