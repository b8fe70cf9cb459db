package driver

import (
	"context"
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// userTypes resolves the names of a keyspace's user-defined types. Each is parsed when it is first
// needed, since types may contain one another.
type userTypes struct {
	keyspace string
	fields   map[string]struct{ names, types []string }
	done     map[string]*cqltype.Type
}

func (s *Session) userTypes(ctx context.Context, keyspace string) (*userTypes, error) {
	u := &userTypes{
		keyspace: keyspace,
		fields:   make(map[string]struct{ names, types []string }),
		done:     make(map[string]*cqltype.Type),
	}
	var name string
	var names, types []string
	err := s.each(
		ctx,
		"",
		func() error {
			u.fields[name] = struct{ names, types []string }{names, types}
			names, types = nil, nil
			return nil
		},
		[]any{&name, &names, &types},
		"SELECT type_name, field_names, field_types FROM system_schema.types WHERE keyspace_name = ?",
		keyspace,
	)
	return u, err
}

func (u *userTypes) resolve(name string) (*cqltype.Type, error) {
	if t := u.done[name]; t != nil {
		return t, nil
	}
	f, ok := u.fields[name]
	if !ok {
		return nil, fmt.Errorf("unknown type %q", name)
	}
	t := &cqltype.Type{Kind: cqltype.UDT, Keyspace: u.keyspace, Name: name, FieldNames: f.names}
	for i, text := range f.types {
		elem, err := cqltype.Parse(text, u.resolve)
		if err != nil {
			return nil, fmt.Errorf("field %q of type %q: %w", f.names[i], name, err)
		}
		t.Elems = append(t.Elems, elem)
	}
	u.done[name] = t
	return t, nil
}
