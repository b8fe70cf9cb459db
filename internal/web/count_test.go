package web

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadCount(t *testing.T) {
	c, err := ReadCount(
		"hosts.tsv",
		strings.NewReader("10.0.0.1:9042\t300\t75.00%\n-\t100\t25.00%\n"),
	)
	require.NoError(t, err)
	require.Equal(t, Count{"host", []Part{{"10.0.0.1:9042", 300}, {"-", 100}}}, c)
	require.EqualValues(t, 300, c.Most())
	require.InDelta(t, 1.5, c.Skew(), 0.001)
	require.Equal(t, c.Parts, c.Largest())

	c, err = ReadCount(
		"ranges.tsv",
		strings.NewReader("-9\t-1\t0\t0.00%\n-1\t5\t3\t60.00%\n5\t9\t2\t40.00%\n"),
	)
	require.NoError(t, err)
	require.Equal(t, Part{"(-1, 5]", 3}, c.Largest()[0])
	require.Equal(t, []Size{{0, 0, 1}, {2, 3, 2}}, c.Sizes())
	require.EqualValues(t, 2, c.MostParts())

	c, err = ReadCount("partitions.tsv", strings.NewReader("a\t7\t90\nb\t8\t10\n"))
	require.NoError(t, err)
	require.Equal(t, Count{"partition", []Part{{"a, 7", 90}, {"b, 8", 10}}}, c)
}

func TestReadCountRefuses(t *testing.T) {
	for text, problem := range map[string]string{
		"":                         "f: is empty",
		"123\n":                    "f: line 1: 1 field",
		"a\tb\n":                   `f: line 1: "b" is no number of rows`,
		"a\t-1\n":                  `f: line 1: "-1" is no number of rows`,
		"a\t5\na\t5\t1.00%\n":      "f: line 2: is a line of --by host among those of --by partition",
		"a\tb\tc\td\t1.00%\n":      "f: line 1: 5 fields",
		strings.Repeat("a", 2<<20): "f: line 1: bufio.Scanner: token too long",
	} {
		_, err := ReadCount("f", strings.NewReader(text))
		require.ErrorContains(t, err, problem)
	}
}

func FuzzReadCount(f *testing.F) {
	f.Add("10.0.0.1\t3\t100.00%\n")
	f.Add("-9\t9\t3\t100.00%\n")
	f.Add("a\t9223372036854775807\nb\t0\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ReadCount("f", strings.NewReader(text))
		if err != nil {
			return
		}
		var parts int64
		for _, s := range c.Sizes() {
			parts += s.Parts
		}
		require.EqualValues(t, len(c.Parts), parts)
		require.NoError(t, WriteReport(new(strings.Builder), Report{Counts: []Count{c}}))
	})
}
