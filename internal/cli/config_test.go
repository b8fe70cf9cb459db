package cli

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/cli/configfile"
	"github.com/cqlbulk/cqlbulk/internal/config"
)

// commentedOut is a setting, or a section, that a file which config init writes has commented out.
var commentedOut = regexp.MustCompile(`^#((?:  )?[a-z][a-z0-9-]*:.*)$`)

// The file that config init writes has every setting. With all comments removed, it is a file of
// the defaults for every command.
func TestConfigInitHasEverySetting(t *testing.T) {
	root := newRoot(streams{})
	var out bytes.Buffer
	require.NoError(t, configfile.Write(&out, root))
	var lines []string
	for line := range strings.Lines(out.String()) {
		require.Less(t, len([]rune(line)), 250, line)
		if found := commentedOut.FindStringSubmatch(strings.TrimSuffix(line, "\n")); found != nil {
			lines = append(lines, found[1])
		}
	}
	text := strings.Join(lines, "\n")
	settings, commands := configfile.Names(root)
	for _, name := range settings {
		if name != config.FileFlag {
			require.Regexp(t, `(?m)^(  )?`+name+`: `, text)
		}
	}
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("cqlbulk.yaml", []byte(text), 0o600))
	for _, c := range root.Commands() {
		if len(configfile.Settings(c)) == 0 {
			continue
		}
		require.NoError(t, c.ParseFlags(nil))
		file, err := config.Apply(c.Name(), "", c.Flags(), settings, commands)
		require.NoError(t, err, c.Name())
		c.Flags().VisitAll(func(f *pflag.Flag) {
			require.Equal(t, f.DefValue, f.Value.String(), "%s %s", c.Name(), f.Name)
			if configfile.IsSetting(f) && f.Name != config.FileFlag && !configfile.Continues(c) {
				require.Equal(
					t,
					config.FromFile,
					file.Origin(f.Name).From,
					"%s %s",
					c.Name(),
					f.Name,
				)
				require.Contains(t, lines[file.Origin(f.Name).Line-1], f.Name+": ")
			}
		})
	}
}
