// Package testkit has helpers that the tests of pkg and of internal share. It imports only
// pkg/cqltype, so that the tests of every other package can import it.
package testkit

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Unhex returns the bytes of hexadecimal digits. White space between the digits is ignored.
func Unhex(t testing.TB, digits string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(digits), ""))
	require.NoError(t, err)
	return b
}

// UserTypes has the fields of the user types of a keyspace, by the name of the type.
type UserTypes map[string][]Field

// Field is a field of a user type.
type Field struct {
	Name string
	Type string // in CQL; may name other types of the keyspace
}

// Types has the user types for tests of the codecs of values: simple and nested ones, names that
// need quotes, and one without fields.
var Types = UserTypes{
	"addr": {
		{Name: "street", Type: "text"},
		{Name: "zip", Type: "int"},
		{Name: "Mixed\"Name", Type: "list<int>"},
		{Name: "select", Type: "frozen<tuple<text>>"},
	},
	"inner": {{Name: "a", Type: "int"}, {Name: "b", Type: "text"}},
	"outer": {
		{Name: "nested", Type: "frozen<inner>"},
		{Name: "other", Type: "map<text, frozen<inner>>"},
	},
	"none": {},
}

// Find returns a user type. It is an argument of [cqltype.Parse].
func (u UserTypes) Find(name string) (*cqltype.Type, error) {
	fields, ok := u[name]
	if !ok {
		return nil, fmt.Errorf("unknown type %s", name)
	}
	t := &cqltype.Type{Kind: cqltype.UDT, Keyspace: "ks", Name: name}
	for _, f := range fields {
		typ, err := cqltype.Parse(f.Type, u.Find)
		if err != nil {
			return nil, err
		}
		t.FieldNames = append(t.FieldNames, f.Name)
		t.Elems = append(t.Elems, typ)
	}
	return t, nil
}
