package driver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAddressMap(t *testing.T) {
	m := AddressMap{"10.0.0.1": "gate:19042", "10.0.0.2": "203.0.113.5", "fd00::1": "[fd00::9]:9"}
	for _, c := range []struct {
		node, want string
		mapped     bool
	}{
		{"10.0.0.1", "gate:19042", true},
		{"10.0.0.2", "203.0.113.5:9042", true},
		{"fd00::1", "[fd00::9]:9", true},
		{"10.0.0.3", "10.0.0.3:9042", false},
		{"fd00::2", "[fd00::2]:9042", false},
	} {
		require.Equal(t, c.want, m.address(c.node, 9042))
		_, _, mapped := m.of(c.node, 9042)
		require.Equal(t, c.mapped, mapped)
	}
	require.Equal(t, "10.0.0.1:9042", AddressMap(nil).address("10.0.0.1", 9042))
}
