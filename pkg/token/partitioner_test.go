package token

import (
	"bufio"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// readLines returns the fields of each line of a file in testdata, without comments.
func readLines(t testing.TB, name string) [][]string {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	var lines [][]string
	for s := bufio.NewScanner(f); s.Scan(); {
		if line := s.Text(); !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.Fields(line))
		}
	}
	return lines
}

func parse(t testing.TB, p Partitioner, s string) Token {
	t.Helper()
	v, err := p.Parse(s)
	require.NoError(t, err)
	return v
}

// at returns the Murmur3 token of a number.
func at(v int64) Token { return fromInt64(v) }

func TestByClass(t *testing.T) {
	for class, want := range map[string]Partitioner{
		"Murmur3Partitioner":                          Murmur3,
		"org.apache.cassandra.dht.Murmur3Partitioner": Murmur3,
		"RandomPartitioner":                           Random,
		"org.apache.cassandra.dht.RandomPartitioner":  Random,
	} {
		p, err := ByClass(class)
		require.NoError(t, err, class)
		require.Equal(t, want, p, class)
	}
	for _, class := range []string{"", "org.apache.cassandra.dht.ByteOrderedPartitioner", "com.scylladb.dht.CDCPartitioner", "murmur3partitioner", "x.Murmur3Partitioner"} {
		_, err := ByClass(class)
		require.ErrorIs(t, err, ErrUnsupported, class)
		require.ErrorContains(t, err, `"`+class+`"`)
	}
}

func TestHashIsCassandras(t *testing.T) {
	for name, p := range map[string]Partitioner{"murmur3.txt": Murmur3, "random.txt": Random} {
		lines := readLines(t, name)
		require.Greater(t, len(lines), 290)
		for _, line := range lines {
			key, err := hex.DecodeString(strings.TrimPrefix(line[0], "-"))
			require.NoError(t, err)
			require.Equal(
				t, line[1], string(p.Append(nil, p.Hash(key))), "%s key %s", p.Name(), line[0],
			)
		}
	}
}

func TestMurmur3MinIsMovedToMax(t *testing.T) {
	key := AppendMurmur3Key(nil, at(-1<<63))
	h1, _ := Murmur3Sum128(key)
	require.Equal(t, uint64(signBit), h1)
	require.Equal(t, Murmur3.Max(), Murmur3.Hash(key))
}

func TestMurmur3AtEveryToken(t *testing.T) {
	require.Equal(
		t, "5ed0b893f10c088ccf0e007bf6edbf61", hex.EncodeToString(AppendMurmur3Key(nil, at(0))),
	)
	for _, v := range []int64{1 - 1<<63, -1, 0, 1, 1<<63 - 1} {
		require.Equal(t, at(v), Murmur3.Hash(AppendMurmur3Key(nil, at(v))), v)
	}
}

func TestHashDoesNotAllocate(t *testing.T) {
	key := []byte("a key of more than sixteen bytes")
	for _, p := range []Partitioner{Murmur3, Random} {
		require.Zero(t, testing.AllocsPerRun(100, func() { p.Hash(key) }), p.Name())
	}
}

func TestAppendKey(t *testing.T) {
	long := make([]byte, 300)
	for _, c := range []struct {
		name       string
		components [][]byte
		want       string
	}{
		{"none", nil, ""},
		{"one stands as it is", [][]byte{[]byte("ab")}, "ab"},
		{"one empty", [][]byte{{}}, ""},
		{"two", [][]byte{[]byte("ab"), []byte("c")}, "\x00\x02ab\x00\x00\x01c\x00"},
		{"an empty one", [][]byte{{}, {0}}, "\x00\x00\x00\x00\x01\x00\x00"},
		{"long", [][]byte{long, {1}}, "\x01\x2c" + string(long) + "\x00\x00\x01\x01\x00"},
	} {
		require.Equal(t, "x"+c.want, string(AppendKey([]byte("x"), c.components...)), c.name)
		if len(c.components) > 1 {
			parts, err := SplitKey([]byte(c.want))
			require.NoError(t, err)
			require.Equal(t, c.components, parts, c.name)
			_, err = SplitKey([]byte(c.want[:len(c.want)-1]))
			require.ErrorContains(t, err, "cut off")
		}
	}
	buffer, a, b := make([]byte, 0, 64), []byte("ab"), []byte("c")
	require.Zero(t, testing.AllocsPerRun(100, func() { buffer = AppendKey(buffer[:0], a, b) }))
}

func TestParseAndAppend(t *testing.T) {
	for _, c := range []struct {
		p    Partitioner
		in   string
		want Token
	}{
		{Murmur3, "-9223372036854775808", Murmur3.Min()},
		{Murmur3, "-9223372036854775807", Token{0, 1}},
		{Murmur3, "0", Token{0, 1 << 63}},
		{Murmur3, "9223372036854775807", Murmur3.Max()},
		{Random, "-1", Random.Min()},
		{Random, "0", Token{0, 1}},
		{Random, "18446744073709551614", Token{0, 1<<64 - 1}},
		{Random, "18446744073709551615", Token{1, 0}},
		{Random, "100000000000000000000", Token{5, 7766279631452241921}},
		{Random, "170141183460469231731687303715884105728", Random.Max()},
	} {
		require.Equal(t, c.want, parse(t, c.p, c.in), c.in)
		require.Equal(t, "x"+c.in, string(c.p.Append([]byte("x"), c.want)), c.in)
	}
	require.Equal(t, parse(t, Random, "7"), parse(t, Random, "+0007"))
	require.Equal(t, parse(t, Murmur3, "7"), parse(t, Murmur3, "+0007"))
	require.Equal(t, parse(t, Random, "0"), parse(t, Random, "-0"))
}

func TestParseErrors(t *testing.T) {
	const digits, bounds = "not a whole decimal number", "outside the ring"
	for _, c := range []struct {
		p        Partitioner
		in, want string
	}{
		{Murmur3, "", digits},
		{Murmur3, "1_0", digits},
		{Murmur3, "0x1", digits},
		{Murmur3, " 1", digits},
		{Murmur3, "9223372036854775808", bounds},
		{Murmur3, "-9223372036854775809", bounds},
		{Random, "", digits},
		{Random, "-", digits},
		{Random, "+-1", digits},
		{Random, "1e3", digits},
		{Random, "1٣", digits},
		{Random, "-2", bounds},
		{Random, "170141183460469231731687303715884105729", bounds},
		{Random, "-170141183460469231731687303715884105728", bounds},
		// 2^128+1, which is 1 in its low 128 bits
		{Random, "-340282366920938463463374607431768211457", bounds},
		{Random, "1" + strings.Repeat("0", 60), bounds},
		{Random, "1" + strings.Repeat("0", 60) + "x", digits},
	} {
		_, err := c.p.Parse(c.in)
		require.ErrorContains(t, err, c.want, c.in)
		require.ErrorContains(t, err, `"`+c.in+`"`)
	}
}

func TestWire(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"-9223372036854775808", "8000000000000000"},
		{"-1", "ffffffffffffffff"},
		{"258", "0000000000000102"},
	} {
		requireWire(t, Murmur3, c.in, c.want)
	}
	for _, line := range readLines(t, "randomwire.txt") {
		requireWire(t, Random, line[0], line[1])
	}
	wide, err := Random.ReadWire([]byte{0, 0, 0, 5})
	require.NoError(t, err)
	require.Equal(t, parse(t, Random, "5"), wide)
	wide, err = Random.ReadWire([]byte{0xff, 0xff})
	require.NoError(t, err)
	require.Equal(t, Random.Min(), wide)
}

func requireWire(t *testing.T, p Partitioner, decimal, wire string) {
	t.Helper()
	want := parse(t, p, decimal)
	require.Equal(t, "01"+wire, hex.EncodeToString(p.AppendWire([]byte{1}, want)), decimal)
	b, err := hex.DecodeString(wire)
	require.NoError(t, err)
	got, err := p.ReadWire(b)
	require.NoError(t, err, decimal)
	require.Equal(t, want, got, decimal)
}

func TestReadWireErrors(t *testing.T) {
	for _, c := range []struct {
		p    Partitioner
		in   string
		want string
	}{
		{Murmur3, "", "0 bytes"},
		{Murmur3, "00000000000001", "7 bytes"},
		{Murmur3, "000000000000000001", "9 bytes"},
		{Random, "", "0 bytes"},
		{Random, "fe", "0xfe: below -1"},
		{Random, "ff00", "below -1"},
		{Random, "80", "below -1"},
		{Random, "0080000000000000000000000000000001", "above 2^127"},
		{Random, "01" + strings.Repeat("00", 16), "above 2^127"},
		{Random, "01" + strings.Repeat("00", 40), "above 2^127"},
	} {
		b, err := hex.DecodeString(c.in)
		require.NoError(t, err)
		_, err = c.p.ReadWire(b)
		require.ErrorContains(t, err, c.want, c.in)
	}
}
