package where

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/lex"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// FuzzParse checks that parsing any text ends. The String of a condition must parse to the same
// String. Holds must return for any cells, and must not hold outside the token ranges.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"k = 1 AND kt IN ('a', 'b') AND TOKEN(k, kt) > -5 AND \"Day\" >= 3",
		"token(k, kt) <= TOKEN(1, 'x') AND (c, ct) IN ((1, 'a'), (2, $$b$$)) AND (c) > (5)",
		"map['b'] = 2 AND map CONTAINS KEY 'x' and list contains 'y' AND udt IS NOT NULL",
		"deep = {1: [{2.0, 1.00}, {}]} AND fudt = {\"B\": 'x', \"true\": {3, 1}} AND tuple = (1, null)",
		"duration = P0001-02-03T04:05:06 AND durations = [-1h5µs] AND double < -Infinity AND float != NaN",
		"uuid = 123e4567-e89b-42d3-a456-426614174000 AND blob < 0xcafe AND boolean = true AND vector = [1, 2e3]",
		"((int < 3)) -- a\nAND /* b */ words IN (['a', 'bc'], []) AND inet = '::ffff:1.2.3.4' AND date = 2147483648",
	} {
		f.Add(text, []byte("\x00\x00\x00\x01\x00\x00\x00\x01a"))
	}
	table := tableOf(f, types)
	f.Fuzz(func(t *testing.T, text string, cell []byte) {
		c, err := Parse(text, table)
		if err != nil {
			var at *lex.Error
			require.ErrorAs(t, err, &at)
			require.Positive(t, at.Line)
			require.Positive(t, at.Column)
			return
		}
		reparsed, err := Parse(c.String(), table)
		require.NoError(t, err, c.String())
		require.Equal(t, c, reparsed)
		cells := make([][]byte, len(c.Columns()))
		require.NotPanics(t, func() { c.Holds(cells, token.Token{}) })
		for i := range cells {
			cells[i] = cell
		}
		at := token.Murmur3.Hash(token.AppendKey(nil, cell, cell))
		if c.Holds(cells, at) && c.Tokens() != nil && len(cell) <= token.MaxKeyLen {
			inside := false
			for _, r := range c.Tokens() {
				inside = inside || r.Contains(at)
			}
			require.True(t, inside)
		}
	})
}
