package driver

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/gocql/gocql"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// option writes a type as the native protocol does: numbers of two bytes, and texts with a length.
func option(parts ...any) []byte {
	var b []byte
	for _, part := range parts {
		switch p := part.(type) {
		case int:
			b = binary.BigEndian.AppendUint16(b, uint16(p))
		case string:
			b = binary.BigEndian.AppendUint16(b, uint16(len(p)))
			b = append(b, p...)
		}
	}
	return b
}

// hidden returns the type that the library reads in place of an option.
func hidden(t *testing.T, option []byte) gocql.TypeInfo {
	t.Helper()
	a := frameBody{in: strings.NewReader(string(option)), left: len(option)}
	a.columnType(0)
	require.NoError(t, a.err)
	require.Equal(t, []byte{0, optionCustom}, a.read[:2])
	name := string(a.read[4:])
	require.EqualValues(t, len(name), binary.BigEndian.Uint16(a.read[2:]))
	return gocql.NewCustomType(4, gocql.TypeCustom, name)
}

// Types that the library must not see are hidden in the name of a class, and are found there.
func TestHiddenTypes(t *testing.T) {
	const marshal = "org.apache.cassandra.db.marshal."
	for want, option := range map[string][]byte{
		"tuple<int, text>": option(optionTuple, 2, 0x09, 0x0d),
		"duration":         option(optionCustom, marshal+"DurationType"),
		"vector<float, 3>": option(
			optionCustom,
			marshal+"VectorType("+marshal+"FloatType, 3)",
		),
		"tuple<duration, map<date, list<tuple<blob>>>>": option(
			optionTuple, 2, optionCustom, marshal+"DurationType",
			optionMap, 0x11, optionList, optionTuple, 1, 0x03,
		),
		"tuple<set<addr>>": option(
			optionTuple, 1, optionSet, optionUDT, "ks", "addr", 2, "street", 0x0d, "zip", 0x09,
		),
	} {
		got, err := typeOf(hidden(t, option))
		require.NoError(t, err, want)
		require.Equal(t, want, got.String())
	}
}

func TestTypesOfTheLibrary(t *testing.T) {
	native := func(of gocql.Type) gocql.TypeInfo { return gocql.NewNativeType(4, of) }
	text := native(gocql.TypeVarchar)
	for want, info := range map[string]gocql.TypeInfo{
		"text":     text,
		"counter":  native(gocql.TypeCounter),
		"duration": native(gocql.TypeDuration),
		"addr":     gocql.NewUDTType(4, "addr", "ks", gocql.UDTField{Name: "zip", Type: text}),
		"map<text, set<int>>": gocql.CollectionType{
			NativeType: gocql.NewNativeType(4, gocql.TypeMap),
			Key:        text,
			Elem: gocql.CollectionType{
				NativeType: gocql.NewNativeType(4, gocql.TypeSet),
				Elem:       native(gocql.TypeInt),
			},
		},
	} {
		got, err := typeOf(info)
		require.NoError(t, err, want)
		require.Equal(t, want, got.String())
		if got.Kind == cqltype.UDT {
			require.Equal(t, []string{"zip"}, got.FieldNames)
			require.Equal(t, "ks", got.Keyspace)
		}
	}
	_, err := typeOf(native(0x99))
	require.Error(t, err)
}

func TestBrokenHiddenTypes(t *testing.T) {
	for _, broken := range []string{"", "\x00", "\x00\x31\x00\x02\x00\x09", "\x00\x30\x00\x09x"} {
		_, err := typeOf(gocql.NewCustomType(4, gocql.TypeCustom, hiddenType+broken))
		require.ErrorIs(t, err, errTypeOption, "%q", broken)
	}
}
