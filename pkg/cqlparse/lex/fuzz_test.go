package lex

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzLex splits any text, writes its tokens as a text and splits that: the tokens must be the
// same.
func FuzzLex(f *testing.F) {
	for _, text := range []string{
		`CREATE TABLE "Ks".t (k int PRIMARY KEY) -- end` + "\n;", "'it''s' $$a'b$$ /* no */ 1.5e-3 0xAf 1h5µs -P1Y2M3DT4H",
		"5a1c395e-b41f-11e5-9f22-ba0be0483c18,5a1c395e-b41f-11e5-9f22-ba0be0483c180", "\ufeffa\f;\xc2 ö /", "/* /* ", `"`, "$$", "P0001-02-03T04:05:06]",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tokens, err := lex(text)
		if err != nil {
			require.IsType(t, &Error{}, err)
			return
		}
		var rewritten strings.Builder
		end := 0
		for i, token := range tokens {
			require.True(t, token.At >= end && token.At <= len(text), "token %d of %q", i, text)
			end = token.At
			switch token.Kind {
			case Name:
				rewritten.WriteString(`"` + strings.ReplaceAll(token.Text, `"`, `""`) + `"`)
			case Text:
				rewritten.WriteString("'" + strings.ReplaceAll(token.Text, "'", "''") + "'")
			default:
				rewritten.WriteString(token.Text)
			}
			rewritten.WriteByte(' ')
		}
		same, err := lex(rewritten.String())
		require.NoError(t, err, rewritten.String())
		require.Len(t, same, len(tokens), rewritten.String())
		for i := range same {
			require.Equal(t, tokens[i].Kind, same[i].Kind, rewritten.String())
			require.Equal(t, tokens[i].Text, same[i].Text, rewritten.String())
		}
	})
}
