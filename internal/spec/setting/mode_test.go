package setting

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMode(t *testing.T) {
	var m Mode
	require.Equal(t, "600", m.String())
	require.Equal(t, fs.FileMode(0o700), m.Folder())
	for text, folder := range map[string]fs.FileMode{"600": 0o700, "640": 0o750, "0644": 0o755, "660": 0o770, "664": 0o775} {
		require.NoError(t, m.Set(text))
		require.Equal(t, folder, m.Folder(), text)
	}
	for text, why := range map[string]string{
		"": "is no mode", "64": "is no mode", "u=rw": "is no mode", "888": "is no mode", "-40": "is no mode", "00640": "is no mode",
		"4640": "no set-user-ID", "755": "as 644", "440": "as 640", "416": "without the bits", "000": "as 600", "666": "as 664",
	} {
		require.ErrorContains(t, m.Set(text), why, text)
	}
}
