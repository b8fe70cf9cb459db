package schema

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/lex"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// userType is a user-defined type.
type userType struct {
	at     lex.Token
	names  []string
	fields []rawType
	state  uint8 // of its resolution: 0 not started, 1 in progress, 2 done
	typ    *cqltype.Type
}

// rawType is a type as written in a statement.
type rawType struct {
	at   lex.Token
	text string // without comments, and without the keyspace of user-defined types
}

// createType reads a type.
func (p *parser) createType() error {
	p.Take("if", "not", "exists")
	at := p.Next()
	called, err := p.qualifiedName("a type")
	if err != nil {
		return err
	}
	if p.types[called] != nil {
		return p.ErrorAt(at, "type %q.%q already exists", called.keyspace, called.name)
	}
	u := &userType{at: at}
	p.types[called] = u
	if err := p.Expect("("); err != nil {
		return err
	}
	for {
		field, err := p.Name("a field")
		if err != nil {
			return err
		}
		typ, err := p.rawType()
		if err != nil {
			return err
		}
		u.names, u.fields = append(u.names, field), append(u.fields, typ)
		if p.Take(")") {
			return nil
		}
		if err := p.Expect(","); err != nil {
			return err
		}
	}
}

// rawType reads a type. It omits the keyspace of a user-defined type: servers accept only the
// keyspace of the statement.
func (p *parser) rawType() (rawType, error) {
	raw := rawType{at: p.Next()}
	var b strings.Builder
	for depth := 0; ; p.Read() {
		t := p.Next()
		ends := t.Kind == lex.End || t.Is(";") || t.Is(",") || t.Is(")") || t.Is("static") ||
			t.Is("primary") ||
			t.Is("masked")
		if depth == 0 && ends || t.Kind == lex.End || t.Is(";") {
			break
		}
		switch {
		case t.Is("<"):
			depth++
		case t.Is(">"):
			depth--
		case p.After(1).Is(".") && (t.Kind == lex.Word || t.Kind == lex.Name):
			p.Read() // the dot; the keyspace is omitted too
			continue
		}
		switch t.Kind {
		case lex.Name:
			b.WriteString(`"` + strings.ReplaceAll(t.Text, `"`, `""`) + `"`)
		case lex.Text:
			b.WriteString("'" + strings.ReplaceAll(t.Text, "'", "''") + "'")
		default:
			b.WriteString(t.Text)
		}
		b.WriteByte(' ')
	}
	if raw.text = strings.TrimSpace(b.String()); raw.text == "" {
		return raw, p.Unexpected("a type")
	}
	return raw, nil
}

// resolve returns a type in the form that servers store.
func (p *parser) resolve(keyspace string, raw rawType) (*cqltype.Type, error) {
	t, err := cqltype.Parse(raw.text, func(called string) (*cqltype.Type, error) {
		return p.userType(qualified{keyspace, called})
	})
	var inner *Error
	if errors.As(err, &inner) {
		return nil, inner // in a field of a type that this type names
	}
	if err != nil {
		return nil, p.ErrorAt(raw.at, "%v", err)
	}
	if err := store(t, false); err != nil {
		return nil, p.ErrorAt(raw.at, "type %s: %v", raw.text, err)
	}
	return t, nil
}

// userType returns a user-defined type.
func (p *parser) userType(q qualified) (*cqltype.Type, error) {
	u := p.types[q]
	switch {
	case u == nil:
		return nil, fmt.Errorf("no statement makes it in keyspace %q", q.keyspace)
	case u.state == 1:
		return nil, fmt.Errorf("it contains itself")
	case u.state == 2:
		return u.typ, nil
	}
	u.state = 1
	typ := &cqltype.Type{Kind: cqltype.UDT, Keyspace: q.keyspace, Name: q.name, FieldNames: u.names}
	for _, raw := range u.fields {
		t, err := p.resolve(q.keyspace, raw)
		if err != nil {
			return nil, err
		}
		if t.Kind == cqltype.UDT && !t.Frozen {
			return nil, p.ErrorAt(
				raw.at, "type %s is a field of a type, and must be frozen", raw.text,
			)
		}
		typ.Elems = append(typ.Elems, t)
	}
	u.state, u.typ = 2, typ
	return typ, nil
}

// store converts a type to the form that servers store and print. A type inside a frozen type is
// frozen, and a tuple is always frozen. A vector is not marked as frozen. The fields of a
// user-defined type keep their definition.
func store(t *cqltype.Type, frozen bool) error {
	switch t.Kind {
	case cqltype.UDT:
		t.Frozen = t.Frozen || frozen
		return nil
	case cqltype.Tuple:
		t.Frozen = true
	case cqltype.Vector:
		t.Frozen = false
	case cqltype.List, cqltype.Set, cqltype.Map:
		t.Frozen = t.Frozen || frozen
	default:
		return nil
	}
	for _, e := range t.Elems {
		if err := store(e, t.Frozen || t.Kind == cqltype.Vector); err != nil {
			return err
		}
		if e.MultiCell() {
			return fmt.Errorf("%s is in a collection and must be frozen", e)
		}
	}
	return nil
}
