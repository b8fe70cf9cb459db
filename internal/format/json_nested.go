package format

import (
	"errors"
	"maps"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/jsonl"
	"github.com/cqlbulk/cqlbulk/pkg/jsonl/jsonscan"
)

var errManyMembers = errors.New("the object and those inside it have too many members")

// nested reads members inside of the objects that are values of members. A member inside has the
// name of the object, a dot and its own name, as PlanOptions.Nested says.
type nested struct {
	objects map[string]bool // by name: members of the object that are not in names are left out
	names   map[string]int  // as PlanOptions.Names
	fields  []jsonl.Field   // of the last record
	paths   []byte          // their names, where these are longer than in the text
}

// objectsOf returns the names of the objects to read inside of, and whether their other members are
// left out. A member that is itself read is none of them.
func objectsOf(o PlanOptions) map[string]bool {
	objects := make(map[string]bool)
	for _, name := range o.Nested {
		for at := range len(name) {
			if name[at] != '.' {
				continue
			}
			objects[name[:at]] = false
		}
	}
	maps.DeleteFunc(objects, func(name string, _ bool) bool {
		column, known := o.Names[name]
		return known && column >= 0
	})
	for name := range objects {
		for above := name; above != "" && !objects[name]; above, _ = cutLast(above) {
			column, known := o.Names[above]
			objects[name] = known && column < 0
		}
	}
	return objects
}

// cutLast returns what stands before the last dot of a name, and whether there is one.
func cutLast(name string) (before string, found bool) {
	at := strings.LastIndexByte(name, '.')
	return name[:max(at, 0)], at >= 0
}

// read returns the members of a record. Those inside of an object take its place. They are valid
// until the next call.
func (n *nested) read(rec jsonl.Record) ([]jsonl.Field, error) {
	n.fields, n.paths = n.fields[:0], n.paths[:0]
	for _, f := range rec.Fields {
		if err := n.add(rec.Raw, f); err != nil {
			return nil, err
		}
	}
	return n.fields, nil
}

// add adds a member, or those inside of it.
func (n *nested) add(text []byte, f jsonl.Field) error {
	rest, inside := n.objects[string(f.Name)]
	if inside && string(f.Value) == "null" {
		return nil
	}
	if !inside || f.Value[0] != '{' {
		if len(n.fields) == jsonl.MaxFields {
			return errManyMembers
		}
		n.fields = append(n.fields, f)
		return nil
	}
	pos, done, err := jsonscan.Open(text, f.Offset, '{', '}')
	for err == nil && !done {
		begin := pos
		if pos, _, err = jsonscan.Name(text, begin); err != nil {
			break
		}
		path := len(n.paths)
		n.paths = append(append(n.paths, f.Name...), '.')
		if n.paths, err = jsonscan.AppendText(n.paths, text[begin+1:pos-1]); err != nil {
			break
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
			err = n.add(text, member)
		}
		if err == nil {
			pos, done, err = jsonscan.More(text, pos, '}')
		}
	}
	return err
}

// wanted reports whether a member inside is read, or has members that may be.
func (n *nested) wanted(f jsonl.Field) bool {
	_, known := n.names[string(f.Name)]
	_, inside := n.objects[string(f.Name)]
	return known || inside && f.Value[0] == '{'
}
