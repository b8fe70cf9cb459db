package config

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAFileOfAnotherUserIsTakenOnlyWhenItIsNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("cqlbulk.yaml", []byte("hosts: [elsewhere]\n"), 0o600))
	apply := func(args ...string) (*settings, error) {
		s := newSettings()
		require.NoError(t, s.flags.Parse(args))
		_, err := Apply("load", "", s.flags, []string{"hosts"}, []string{"load"})
		return s, err
	}
	s, err := apply()
	require.NoError(t, err)
	require.Equal(t, []string{"elsewhere"}, s.hosts)

	defer func(before func(...string) string) { otherOwner = before }(otherOwner)
	otherOwner = func(...string) string { return "mallory" }
	s, err = apply()
	require.ErrorContains(
		t,
		err,
		"configuration file cqlbulk.yaml of this folder belongs to user mallory",
	)
	require.ErrorContains(t, err, "(--config ./cqlbulk.yaml); --config /dev/null uses no file")
	require.Equal(t, []string{"127.0.0.1"}, s.hosts)

	s, err = apply("--config", "./cqlbulk.yaml")
	require.NoError(t, err)
	require.Equal(t, []string{"elsewhere"}, s.hosts)
	s, err = apply("--config", "/dev/null")
	require.NoError(t, err)
	require.Equal(t, []string{"127.0.0.1"}, s.hosts)
}
