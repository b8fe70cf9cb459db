package driver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAddressMap(t *testing.T) {
	m := AddressMap{
		"10.0.0.1":    "gate:19042",
		"10.0.0.2":    "203.0.113.5",
		"FD00::1":     "[fd00::9]:9",
		"10.1.0.0/16": "east:9043",
		"10.1.2.0/24": "west",
		"fd00::/16":   "far:1",
	}
	for _, c := range []struct {
		node, want string
		mapped     bool
	}{
		{"10.0.0.1", "gate:19042", true},
		{"10.0.0.2", "203.0.113.5:9042", true},
		{"fd00::1", "[fd00::9]:9", true},
		{"10.0.0.3", "10.0.0.3:9042", false},
		{"fe80::2", "[fe80::2]:9042", false},
		{"10.1.9.9", "east:9043", true},
		{"10.1.2.9", "west:9042", true},
		{"fd00::2", "far:1", true},
	} {
		require.Equal(t, c.want, m.address(c.node, 9042))
		require.Equal(t, c.mapped, m.has(c.node))
	}
	require.Equal(t, "10.0.0.1:9042", AddressMap(nil).address("10.0.0.1", 9042))

	m[AnyNode] = "proxy:29042"
	require.Equal(t, "proxy:29042", m.address("10.0.0.3", 9042), "of all others")
	require.Equal(t, "gate:19042", m.address("10.0.0.1", 9042))
	require.Equal(t, "west:9042", m.address("10.1.2.9", 9042))
}
