package rowsum

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/stretchr/testify/require"
)

// udts are the user-defined types of the tests and of testdata/golden.py.
var udts = map[string][][2]string{
	"addr":   {{"street", "text"}, {"zip", "int"}},
	"person": {{"name", "text"}, {"tags", "frozen<set<text>>"}, {"home", "frozen<addr>"}},
}

func udt(name string) (*cqltype.Type, error) {
	fields, ok := udts[name]
	if !ok {
		return nil, fmt.Errorf("no type %s", name)
	}
	t := &cqltype.Type{Kind: cqltype.UDT, Name: name}
	for _, f := range fields {
		e, err := cqltype.Parse(f[1], udt)
		if err != nil {
			return nil, err
		}
		t.FieldNames, t.Elems = append(t.FieldNames, f[0]), append(t.Elems, e)
	}
	return t, nil
}

func hasherOf(t testing.TB, types ...string) *Hasher {
	t.Helper()
	parsed := make([]*cqltype.Type, len(types))
	for i, s := range types {
		var err error
		parsed[i], err = cqltype.Parse(s, udt)
		require.NoError(t, err)
	}
	return New(parsed)
}

// cell reads a value in the spelling of golden.py.
func cell(t testing.TB, s *string) []byte {
	t.Helper()
	if s == nil {
		return nil
	}
	var first, end int
	if strings.HasPrefix(*s, "pattern") {
		_, err := fmt.Sscanf(*s, "pattern:%d:%d", &first, &end)
		require.NoError(t, err)
		return pattern(first, end)
	}
	b, err := hex.DecodeString(*s)
	require.NoError(t, err)
	return b
}

func pattern(first, end int) []byte {
	b := make([]byte, 0, end-first)
	for i := first; i < end; i++ {
		b = append(b, byte(i*7%251))
	}
	return b
}

// TestGolden compares with a second implementation, in another language and with another library
// for the hash.
func TestGolden(t *testing.T) {
	data, err := os.ReadFile("testdata/golden.json")
	require.NoError(t, err)
	var cases []struct {
		Name  string
		Types []string
		Rows  [][]*string
		Sums  []string
		Table string
	}
	require.NoError(t, json.Unmarshal(data, &cases))
	require.NotEmpty(t, cases)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			h := hasherOf(t, c.Types...)
			var table Sum
			for i, row := range c.Rows {
				cells := make([][]byte, len(row))
				for j, s := range row {
					cells[j] = cell(t, s)
				}
				sum := h.Row(cells)
				require.Equal(t, c.Sums[i], sum.String(), "row %d", i)
				table = table.Add(sum)
			}
			require.Equal(t, c.Table, table.String())
		})
	}
}
