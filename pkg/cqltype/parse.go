package cqltype

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// MaxDepth is the largest number of nested types, including frozen<>.
const MaxDepth = 64

// errUnknown is the error for a UDT if the udt callback is nil.
var errUnknown = errors.New("no such type")

// Parse reads a type as system_schema prints it. CQL words are read in any case, and varchar is
// Text. The name of a Java class in single quotes becomes the corresponding CQL type, or Custom if
// there is none. ReversedType, FrozenType and VectorType are replaced by the type inside.
//
// Any name that CQL does not know is a UDT. Parse calls udt with the name, without quotes, and
// copies the definition that udt returns. Frozen of the copy is set according to s. If udt is nil,
// s must not name a UDT.
//
// Errors quote the type string and report the byte offset of the fault. They wrap the errors of
// udt.
func Parse(s string, udt func(name string) (*Type, error)) (*Type, error) {
	p := parser{s: s, udt: udt}
	t, err := p.parseType(0, false)
	if err == nil {
		p.blanks()
		if p.i < len(s) {
			err = p.unexpected("end of the type")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("type %s: offset %d: %w", strconv.Quote(clip(s)), p.i, err)
	}
	return t, nil
}

// clip shortens a type string of any length for an error.
func clip(s string) string {
	const limit = 200
	if len(s) <= limit {
		return s
	}
	return s[:limit] + "..."
}

// parser reads one type string. After an error, i is the offset of the fault.
type parser struct {
	s   string
	i   int
	udt func(name string) (*Type, error)
	// stored is true if the string is a class string of an SSTable. There a UDT includes its
	// fields, and an unknown class is a Custom type.
	stored bool
}

// parseType reads one type. frozen is true directly inside frozen<>.
func (p *parser) parseType(depth int, frozen bool) (*Type, error) {
	if depth > MaxDepth {
		return nil, fmt.Errorf("more than %d levels of nesting", MaxDepth)
	}
	p.blanks()
	if p.i == len(p.s) {
		return nil, errors.New("expected a type, found the end")
	}
	switch start := p.i; p.s[p.i] {
	case '"':
		name, err := p.quoted('"')
		if err != nil {
			return nil, err
		}
		return p.userType(name, start, frozen)
	case '\'':
		return p.customType(depth, frozen)
	}
	start := p.i
	word := strings.ToLower(p.word())
	if word == "" {
		return nil, p.unexpected("a type")
	}
	end := p.i
	if p.blanks(); p.i < len(p.s) && p.s[p.i] == '<' {
		return p.parameterised(word, start, depth, frozen)
	}
	p.i = end
	// The server prints frozen<int> only for a UDT named int, never for the native type.
	if k, ok := natives[word]; ok && !frozen {
		return &Type{Kind: k}, nil
	}
	return p.userType(word, start, frozen)
}

// parameterised reads the rest of a type with parameters, starting at its "<".
func (p *parser) parameterised(word string, start, depth int, frozen bool) (*Type, error) {
	t := &Type{Frozen: frozen}
	least, most := 1, 1
	switch word {
	case "frozen":
		p.i++
		inner, err := p.parseType(depth+1, true)
		if err != nil {
			return nil, err
		}
		return inner, p.expect('>')
	case "list":
		t.Kind = List
	case "set":
		t.Kind = Set
	case "map":
		t.Kind, least, most = Map, 2, 2
	case "tuple":
		t.Kind, most = Tuple, int(^uint(0)>>1)
	case "vector":
		t.Kind = Vector
	default:
		p.i = start
		return nil, fmt.Errorf("%s takes no parameters", word)
	}
	p.i++
	for {
		e, err := p.parseType(depth+1, false)
		if err != nil {
			return nil, err
		}
		t.Elems = append(t.Elems, e)
		p.blanks()
		if p.i == len(p.s) || p.s[p.i] != ',' || len(t.Elems) == most {
			break
		}
		p.i++
	}
	if len(t.Elems) < least {
		return nil, p.unexpected("','")
	}
	if t.Kind == Vector {
		if err := p.dimension(t); err != nil {
			return nil, err
		}
	}
	return t, p.expect('>')
}

// dimension reads the ", n" of a vector.
func (p *parser) dimension(t *Type) error {
	if err := p.expect(','); err != nil {
		return err
	}
	p.blanks()
	start := p.i
	n, err := strconv.ParseInt(p.word(), 10, 32)
	if err != nil || n <= 0 {
		p.i = start
		return p.unexpected("a vector's dimension")
	}
	t.Dimension = int(n)
	return nil
}

// userType returns the definition of a UDT. Its name starts at start.
func (p *parser) userType(name string, start int, frozen bool) (*Type, error) {
	err := errUnknown
	var def *Type
	if p.udt != nil {
		def, err = p.udt(name)
	}
	if err == nil && def == nil {
		err = errUnknown
	}
	if err != nil {
		p.i = start
		return nil, fmt.Errorf("user type %s: %w", strconv.Quote(clip(name)), err)
	}
	t := *def
	t.Frozen = frozen
	return &t, nil
}

// customType reads the name of a class in single quotes.
func (p *parser) customType(depth int, frozen bool) (*Type, error) {
	start := p.i
	class, err := p.quoted('\'')
	if err != nil {
		return nil, err
	}
	if class == "" {
		p.i = start
		return nil, errors.New("empty class name")
	}
	t := parseClass(class, depth)
	if t == nil {
		t = &Type{Kind: Custom, Class: class}
	}
	if !t.Kind.Scalar() {
		t.Frozen = t.Frozen || frozen
	}
	return t, nil
}

// quoted reads a string between two q; a doubled q inside stands for one.
func (p *parser) quoted(q byte) (string, error) {
	start := p.i
	for i := start + 1; i < len(p.s); i++ {
		if p.s[i] != q {
			continue
		}
		if i+1 < len(p.s) && p.s[i+1] == q {
			i++
			continue
		}
		p.i = i + 1
		return strings.ReplaceAll(p.s[start+1:i], string([]byte{q, q}), string(rune(q))), nil
	}
	return "", fmt.Errorf("quote %c is not closed", q)
}

// word reads letters, digits and underscores.
func (p *parser) word() string {
	start := p.i
	for p.i < len(p.s) && wordByte(p.s[p.i]) {
		p.i++
	}
	return p.s[start:p.i]
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

func (p *parser) blanks() {
	for p.i < len(p.s) && strings.IndexByte(" \t\n\r", p.s[p.i]) >= 0 {
		p.i++
	}
}

// expect reads c, after blanks if there are any.
func (p *parser) expect(c byte) error {
	p.blanks()
	if p.i == len(p.s) || p.s[p.i] != c {
		return p.unexpected("'" + string(rune(c)) + "'")
	}
	p.i++
	return nil
}

func (p *parser) unexpected(want string) error {
	if p.i == len(p.s) {
		return fmt.Errorf("expected %s, found the end", want)
	}
	return fmt.Errorf("expected %s, found %q", want, p.s[p.i:p.i+1])
}
