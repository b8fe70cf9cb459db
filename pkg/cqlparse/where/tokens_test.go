package where

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// shown returns the ranges of a condition in decimal, or "all" if there are none.
func shown(c *Condition, p token.Partitioner) string {
	if c.Tokens() == nil {
		return "all"
	}
	var all []string
	for _, r := range c.Tokens() {
		all = append(all, string(token.AppendRange(nil, p, r)))
	}
	return strings.Join(all, " ")
}

func TestTokenRelations(t *testing.T) {
	table := tableOf(t, "CREATE TABLE t (a int, b text, v int, PRIMARY KEY ((a, b)))")
	const least, most = "-9223372036854775808", "9223372036854775807"
	for condition, want := range map[string]string{
		"v = 1":                               "all",
		"a = 1":                               "all",
		"TOKEN(a, b) > 5":                     "(5, " + most + "]",
		"token(a, b) > (5)":                   "(5, " + most + "]",
		"token(a, b) >= 5":                    "(4, " + most + "]",
		"token(a, b) < 5":                     "(" + least + ", 4]",
		"token(a, b) <= 5":                    "(" + least + ", 5]",
		"token(a, b) = -5":                    "(-6, -5]",
		"token(a, b) > 5 AND TOKEN(a,b)<=9":   "(5, 9]",
		"token(a, b) > 5 AND token(a, b) < 6": "",
		"token(a, b) > " + most:               "",
		"token(a, b) >= " + most:              "(9223372036854775806, " + most + "]",
		"token(a, b) <= " + most:              "all",
		"token(a, b) > " + least:              "all",
		"token(a, b) >= " + least:             "all",
		"token(a, b) <= " + least:             "all",
		"token(a, b) < " + least:              "all",
		"token(a, b) < -9223372036854775807":  "",
		"token(a, b) > 3 AND v = 2 AND token(a, b) <= 7 AND token(a, b) > 4": "(4, 7]",
		"a IN () AND b = 'x'": "",
	} {
		c := mustParse(t, condition, table)
		require.Equal(t, want, shown(c, token.Murmur3), condition)
		for _, n := range []int64{
			math.MinInt64 + 1, -6, -5, -1, 0, 3, 4, 5, 6, 7, 9, 10,
			math.MaxInt64 - 1, math.MaxInt64,
		} {
			if strings.Contains(condition, "v") || strings.Contains(condition, "a =") ||
				strings.Contains(condition, "IN") {
				continue
			}
			at, err := token.Murmur3.Parse(fmt.Sprint(n))
			require.NoError(t, err)
			within := c.Tokens() == nil
			for _, r := range c.Tokens() {
				within = within || r.Contains(at)
			}
			require.Equal(t, within, c.Holds(make([][]byte, 2), at), "%s at %d", condition, n)
		}
	}
}

// The tokens of keys are computed from the bytes of the literals.
func TestTokensOfKeys(t *testing.T) {
	table := tableOf(t, "CREATE TABLE t (a int, b text, v int, PRIMARY KEY ((a, b)))")
	c := mustParse(t, "b IN ('x', 'y', 'x') AND v > 2 AND a = 7", table)
	require.Len(t, c.Tokens(), 2)
	for _, b := range []string{"x", "y"} {
		key := token.Murmur3.Hash(token.AppendKey(nil, []byte{0, 0, 0, 7}, []byte(b)))
		found := 0
		for _, r := range c.Tokens() {
			require.Equal(t, 1.0, token.Fraction(r, token.Murmur3)*math.Pow(2, 64))
			if r.Contains(key) {
				found++
			}
		}
		require.Equal(t, 1, found)
		require.True(t, c.Holds(row{"a": "7", "b": b, "v": "3"}.cells(t, table, c), key))
	}
	require.True(t, c.Tokens()[0].End.Less(c.Tokens()[1].Start))

	at := token.Murmur3.Hash(token.AppendKey(nil, []byte{0, 0, 0, 7}, []byte("x")))
	decimal := string(token.Murmur3.Append(nil, at))
	c = mustParse(t, "b IN ('x', 'y') AND a = 7 AND token(a, b) = "+decimal, table)
	require.Len(t, c.Tokens(), 1)
	require.Equal(t, at, c.Tokens()[0].End)
	reparsed := mustParse(t, "token(a, b) = TOKEN ( 7, 'x' )", table)
	require.Equal(t, c.Tokens(), reparsed.Tokens())
	require.Equal(t, "TOKEN(a, b) = TOKEN(7, 'x')", reparsed.String())

	require.Empty(t, mustParse(t, "a = 7 AND b = 'x' AND token(a, b) > "+decimal, table).Tokens())
	require.NotNil(t, mustParse(t, "a = 7 AND b = 'x' AND token(a, b) > "+decimal, table).Tokens())
	require.Nil(t, mustParse(t, "a = 7 AND b > 'x'", table).Tokens())
	long := strings.Repeat("x", token.MaxKeyLen+1)
	require.Empty(t, mustParse(t, "a = 7 AND b = '"+long+"'", table).Tokens(), "no key is so long")
	one := tableOf(t, "CREATE TABLE t (k text PRIMARY KEY)")
	require.Empty(t, mustParse(t, "k = ''", one).Tokens(), "no key is empty")
	require.Len(t, mustParse(t, "k IN ('', 'a')", one).Tokens(), 1)
}

// A complete key is compared by its bytes. A partial key is compared by its value.
func TestKeysThatAreEqualAndNotTheSame(t *testing.T) {
	table := tableOf(t, "CREATE TABLE t (a decimal, b int, PRIMARY KEY ((a, b)))")
	whole := mustParse(t, "a = 1.0 AND b = 2", table)
	part := mustParse(t, "a = 1.0", table)
	in := mustParse(t, "a IN (1.0, 1.00) AND b = 2", table)
	for text, same := range map[string]bool{"1.0": true, "1.00": false, "1": false} {
		r := row{"a": text, "b": "2"}
		require.Equal(t, same, whole.Holds(r.cells(t, table, whole), token.Token{}), text)
		require.True(t, part.Holds(r.cells(t, table, part), token.Token{}), text)
		require.Equal(t, same, in.Holds(r.cells(t, table, in), token.Token{}), text)
	}
	require.Equal(t, whole.Tokens(), in.Tokens())
}

func TestManyKeys(t *testing.T) {
	table := tableOf(t, "CREATE TABLE t (a int, b int, PRIMARY KEY ((a, b)))")
	list := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%d,", i)
		}
		return "(" + strings.TrimSuffix(b.String(), ",") + ")"
	}
	require.Len(t, mustParse(t, "a IN "+list(40)+" AND b IN "+list(50), table).Tokens(), 2000)
	many := mustParse(t, "a IN "+list(300)+" AND b IN "+list(300), table)
	require.Nil(t, many.Tokens())
	require.True(t, many.Holds(row{"a": "299", "b": "0"}.cells(t, table, many), token.Token{}))
	require.False(t, many.Holds(row{"a": "300", "b": "0"}.cells(t, table, many), token.Token{}))
}

func TestRandomPartitioner(t *testing.T) {
	table := tableOf(t, "CREATE TABLE t (k int PRIMARY KEY)")
	table.Partitioner = token.Random
	const most = "170141183460469231731687303715884105728"
	for condition, want := range map[string]string{
		"token(k) > 18446744073709551615":  "(18446744073709551615, " + most + "]",
		"token(k) >= 18446744073709551616": "(18446744073709551615, " + most + "]",
		"token(k) <= -1":                   "all",
		"token(k) = 0":                     "(-1, 0]",
	} {
		require.Equal(t, want, shown(mustParse(t, condition, table), token.Random), condition)
	}
	c := mustParse(t, "k = 5", table)
	require.Equal(t, []token.Range{c.Tokens()[0]}, c.Tokens())
	require.Equal(t, token.Random.Hash([]byte{0, 0, 0, 5}), c.Tokens()[0].End)
}

// Without a partitioner, keys are compared by their bytes.
func TestWithoutPartitioner(t *testing.T) {
	table := tableOf(t, "CREATE TABLE t (k decimal PRIMARY KEY)")
	table.Partitioner = nil
	c := mustParse(t, "k = 1.0", table)
	require.Nil(t, c.Tokens())
	require.True(t, c.Holds(row{"k": "1.0"}.cells(t, table, c), token.Token{}))
	require.False(t, c.Holds(row{"k": "1.00"}.cells(t, table, c), token.Token{}))
	_, err := Parse("token(k) > 5", table)
	require.EqualError(
		t, err, "line 1, column 1: the partitioner of the table is not supported",
	)
}
