package recorded

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// Whatever a load has is either among what may be changed, or there is a word why not.
func TestWhyKept(t *testing.T) {
	for name := range keptSettings {
		require.NotContains(t, TextSettings, name)
	}
	settings := spec.NewLoad().Settings()
	for _, name := range TextSettings {
		_, ok := settings.Find(name)
		require.True(t, ok, name)
	}
	require.Contains(t, WhyKept("delimiter"), "records were cut by it")
	require.Equal(t, "a run keeps the settings that it began with", WhyKept("minbatchsize"))
}
