package safetext

import (
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestControlCharactersAreShownAndAllOtherTextIsUnchanged(t *testing.T) {
	for text, want := range map[string]string{
		"día 日本 🎉 👩‍👩‍👧":       "día 日本 🎉 👩‍👩‍👧",
		"\x1b]0;owned\x07":     `\x1b]0;owned\x07`,
		"a\x7fb\u009b31m":      `a\x7fb\u009b31m`,
		"raw \x9b31m":          `raw \x9b31m`,
		"abc\u202egpj.exe":     `abc\u202egpj.exe`,
		"back\rcqlbulk: done":  `back\rcqlbulk: done`,
		"one\ntwo\tthree":      "one\ntwo\tthree",
		"a\u2028b\u061c\ufffd": `a\u2028b\u061c` + "\ufffd",
	} {
		require.Equal(t, want, Text(text))
	}
	require.Equal(t, `one\ntwo\tthree`, Line("one\ntwo\tthree"))
}

func TestJSONKeepsItsValues(t *testing.T) {
	for _, text := range []string{"a\u009b31m\u202eb", "\x1b[2J日本", "\x7f", "plain"} {
		b, err := json.Marshal(map[string]string{text: text})
		require.NoError(t, err)
		safe := JSON(b)
		require.Equal(t, string(safe), Text(string(safe)), "nothing in it is unsafe")
		var got map[string]string
		require.NoError(t, json.Unmarshal(safe, &got))
		require.Equal(t, map[string]string{text: text}, got)
	}
}

func TestACharacterMayComeInParts(t *testing.T) {
	const text = "日本\u009b🎉 \x9b\x1b[0m é\n"
	for size := 1; size < 6; size++ {
		var out strings.Builder
		w := NewWriter(&out)
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			_, err := io.WriteString(w, rest[:n])
			require.NoError(t, err)
			rest = rest[n:]
		}
		require.Equal(t, Text(text), out.String(), "%d bytes at a time", size)
	}
}

func TestAShellReadsAWordAsItWas(t *testing.T) {
	words := []string{
		"", "plain", "a b", "it's", "$(touch x)", "`x`", "a\nb", "\x1b[2Jclear", "\x1b0", "日本",
		"\u009b31m", "back\\slash\n", "raw\xffff", "'\x01a'", "!x", "~", "a;b|c&d<e>f*?[g]{h}#",
	}
	for shell, quote := range map[string]func(string) string{"bash": ShellWord, "sh": ScriptWord} {
		for _, word := range words {
			typed := quote(word)
			out, err := exec.Command(shell, "-c", "printf %s "+typed).Output()
			require.NoError(t, err, "%s: %s", shell, typed)
			require.Equal(t, word, string(out), "%s: %s", shell, typed)
			if shell == "bash" {
				require.Equal(t, typed, Line(typed), "what is shown is safe")
			}
		}
	}
}
