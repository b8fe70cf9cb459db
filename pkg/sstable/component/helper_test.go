package component

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// keyOne is the partition key of the int 1.
var keyOne = []byte{0, 0, 0, 1}

// unhex reads hex with blanks in it.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	require.NoError(t, err)
	return b
}
