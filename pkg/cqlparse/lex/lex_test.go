package lex

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTokens(t *testing.T) {
	type token struct {
		Kind Kind
		Text string
		At   int
	}
	const id = "5a1c395e-b41f-11e5-9f22-ba0be0483c18"
	for text, want := range map[string][]token{
		`a "B""c" 'it''s'`:        {{Word, "a", 0}, {Name, `B"c`, 2}, {Text, "it's", 9}},
		"$$a'b$$ x":               {{Text, "a'b", 0}, {Word, "x", 8}},
		"a -- b\nc // d":          {{Word, "a", 0}, {Word, "c", 7}},
		"a/* b */C":               {{Word, "a", 0}, {Word, "c", 8}},
		"\ufeffa\f;":              {{Word, "a", 3}, {Sign, ";", 5}},
		id + "," + id + "0":       {{UUID, id, 0}, {Sign, ",", 36}, {Number, "5a1c395e-b41f", 37}, {Number, "-11e5", 50}, {Number, "-9f22", 55}, {Sign, "-", 60}, {Word, "ba0be0483c180", 61}},
		"-1 1.5e-3 0xAf 1h5µs -x": {{Number, "-1", 0}, {Number, "1.5e-3", 3}, {Number, "0xAf", 10}, {Number, "1h5µs", 15}, {Sign, "-", 22}, {Word, "x", 23}},
		"-P1Y2M3DT4H P1W p1w":     {{Number, "-P1Y2M3DT4H", 0}, {Number, "P1W", 12}, {Word, "p1w", 16}},
		"P0001-02-03T04:05:06]":   {{Number, "P0001-02-03T04:05:06", 0}, {Sign, "]", 20}},
		"P1Day PT P":              {{Word, "p1day", 0}, {Word, "pt", 6}, {Word, "p", 9}},
		"ö":                       {{Sign, "ö", 0}},
	} {
		r, err := NewReader(text)
		require.NoError(t, err, text)
		var got []token
		for r.Next().Kind != End {
			next := r.Read()
			got = append(got, token{next.Kind, next.Text, next.At})
			require.Greater(t, next.End, next.At, text)
			require.LessOrEqual(t, next.End, r.Next().At, text)
		}
		require.Equal(t, want, got, text)
		end := Token{Kind: End, At: len(text), End: len(text)}
		require.Equal(t, end, r.Read(), "the end stays the end: %s", text)
		require.Equal(t, End, r.After(5).Kind)
	}
}

func TestReader(t *testing.T) {
	r, err := NewReader("is not\n  null 'ö' , x")
	require.NoError(t, err)
	require.False(t, r.Take("is", "null"))
	require.True(t, r.Take("is", "not"))
	require.EqualError(t, r.Expect("null", "and"), `line 2, column 8: expected AND, found "'ö'"`)
	r.Read()
	require.EqualError(t, r.Unexpected("a value"), `line 2, column 12: expected a value, found ","`)
	_, err = r.Name("a table")
	require.EqualError(t, err, `line 2, column 12: expected the name of a table, found ","`)
	r.Read()
	name, err := r.Name("a table")
	require.NoError(t, err)
	require.Equal(t, "x", name)
	require.EqualError(t, r.Unexpected("more"), "line 2, column 15: expected more, found the end")
	require.Equal(t, 2, r.Line(r.Next()))
}

func TestTextsWithoutAnEnd(t *testing.T) {
	for text, want := range map[string]string{
		"a 'b":       "line 1, column 3: the quote has no end",
		"\n\"b\"\"":  "line 2, column 1: the quote has no end",
		"$$ a $":     "line 1, column 1: the quote has no end",
		"a /* b * /": "line 1, column 3: the comment has no end",
		"a /* b /*":  "line 1, column 3: the comment has no end",
	} {
		_, err := NewReader(text)
		require.EqualError(t, err, want, text)
	}
}
