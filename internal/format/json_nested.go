package format

import (
	"errors"
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/jsonl"
	"github.com/cqlbulk/cqlbulk/pkg/jsonl/jsonscan"
)

// nested reads members inside of the objects that are values of members. A member inside has the
// name of the object, a dot and its own name, as PlanOptions.Nested says.
type nested struct {
	objects map[string]bool // by name: members of the object that are not in names are left out
	names   map[string]int  // as PlanOptions.Names
	fields  []jsonl.Field   // of the last record
	paths   []byte          // the names of those inside
}

// largePaths is the size of names that are kept for the next record, in bytes.
const largePaths = 1 << 20

// objectsOf returns the names of the objects to read inside of, and whether their other members are
// left out.
func objectsOf(o PlanOptions) map[string]bool {
	objects := make(map[string]bool)
	for _, name := range o.Nested {
		rest := false // of the object, or of one around it
		for at := range len(name) {
			if name[at] == '.' {
				column, known := o.Names[name[:at]]
				rest = rest || known && column < 0
				objects[name[:at]] = rest
			}
		}
	}
	return objects
}

// read returns the members of a record. Those inside of an object take its place. They are valid
// until the next call. An error is a *jsonl.SyntaxError.
func (n *nested) read(rec jsonl.Record) ([]jsonl.Field, error) {
	if cap(n.paths) > largePaths {
		n.paths = nil
	}
	n.fields, n.paths = n.fields[:0], n.paths[:0]
	for _, f := range rec.Fields {
		if err := n.add(rec.Raw, f); err != nil {
			return nil, rec.ErrorAt(err.Offset, err.Msg)
		}
	}
	return n.fields, nil
}

// add adds a member, or those inside of it.
func (n *nested) add(text []byte, f jsonl.Field) *jsonscan.Error {
	rest, inside := n.objects[string(f.Name)]
	switch {
	case inside && string(f.Value) == "null":
		return nil
	case inside && f.Value[0] == '{':
		return n.addInside(text, f, rest)
	case inside:
		return &jsonscan.Error{
			Offset: f.Offset,
			Msg:    fmt.Sprintf("%s must be an object: a member inside of it is read", f.Name),
		}
	case len(n.fields) == jsonl.MaxFields:
		return &jsonscan.Error{
			Offset: f.Offset,
			Msg:    fmt.Sprintf("the object and those inside of it have more than %d members", jsonl.MaxFields),
		}
	}
	n.fields = append(n.fields, f)
	return nil
}

// addInside adds the members of an object, which is valid JSON. rest leaves out those that no names
// are for.
func (n *nested) addInside(text []byte, object jsonl.Field, rest bool) *jsonscan.Error {
	pos, done, err := jsonscan.Open(text, object.Offset, '{', '}')
	for err == nil && !done {
		begin := pos
		if pos, _, err = jsonscan.Name(text, begin); err != nil {
			break
		}
		path, kept := len(n.paths), len(n.fields)
		n.paths = append(append(n.paths, object.Name...), '.')
		if n.paths, err = jsonscan.AppendText(n.paths, text[begin+1:pos-1]); err != nil {
			return placed(err, begin+1)
		}
		member := jsonl.Field{Name: n.paths[path:len(n.paths):len(n.paths)]}
		if member.Offset, err = jsonscan.Colon(text, pos); err != nil {
			break
		}
		// The record's object is itself one level deep, and its member a second one.
		if pos, err = jsonscan.Value(text, member.Offset, 2); err != nil {
			break
		}
		member.Value = text[member.Offset:pos:pos]
		if !rest || n.wanted(member) {
			if err := n.add(text, member); err != nil {
				return err
			}
		}
		if len(n.fields) == kept {
			n.paths = n.paths[:path]
		}
		pos, done, err = jsonscan.More(text, pos, '}')
	}
	return placed(err, 0)
}

// placed returns an error of jsonscan whose offset counts from another one.
func placed(err error, from int) *jsonscan.Error {
	var e *jsonscan.Error
	if !errors.As(err, &e) {
		return nil
	}
	return &jsonscan.Error{Offset: from + e.Offset, Msg: e.Msg}
}

// wanted reports whether a member inside is read, or one inside of it may be.
func (n *nested) wanted(f jsonl.Field) bool {
	_, known := n.names[string(f.Name)]
	_, inside := n.objects[string(f.Name)]
	return known || inside
}
