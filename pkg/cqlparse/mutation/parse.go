package mutation

import (
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/lex"
)

// Kind is the kind of a statement.
type Kind uint8

// The kinds.
const (
	Insert Kind = iota
	Update
	Delete
)

// String returns the word that the statement begins with.
func (k Kind) String() string { return [...]string{"INSERT", "UPDATE", "DELETE"}[k] }

// Statement is one INSERT, UPDATE or DELETE.
type Statement struct {
	Kind     Kind
	Keyspace string // empty: none is named
	Table    string
	TableAt  int // offset of the table's name, or of its keyspace, in the text that was parsed
	// Conditional statements have IF: they are lightweight transactions.
	Conditional bool
	// Timestamp and TTL report whether USING names them.
	Timestamp, TTL bool
	// Stamp is what the timestamp is: a number, or the name of a marker behind a colon. It is "?"
	// for a marker without a name, and empty for anything else.
	Stamp string
	// Positional statements have a marker without a name, "?".
	Positional bool
	In         []string // columns with a condition IN
	// Appended are the names of markers, once for each place. An UPDATE adds their values behind
	// those of a column: v = v + :name, v += :name. A marker without a name has that of v.
	Appended []string
	// Markers are those of the statement, in the order of the text.
	Markers []Marker
	// Text is the statement from its first word to its last value.
	Text string

	cut       []string // columns that a DELETE takes an element from
	changed   []string // columns that get values, or lose some of their elements
	functions []string // those whose result may differ from call to call, in lower case
	using     int      // offset where USING, or a part of it, can be written
}

// Marker is a place of the statement that takes a value.
type Marker struct {
	Name  string // of "?" that of its column; empty if that is not known
	Where bool   // it is compared with a column in the WHERE clause, outside of all brackets
	Part  bool   // it is a part of a value in braces: of a user type, a set or a map
}

// Parse parses the text of one statement. A semicolon may end it.
func Parse(text string) (*Statement, error) {
	r, err := lex.NewReader(text)
	if err != nil {
		return nil, err
	}
	p := &parser{Reader: r, s: &Statement{}}
	from := p.Next().At
	for n := 0; p.After(n).Kind != lex.End; n++ {
		p.s.Positional = p.s.Positional || p.After(n).Is("?")
	}
	switch {
	case p.Take("insert"):
		err = p.insert()
	case p.Take("update"):
		err = p.update()
	case p.Take("delete"):
		err = p.delete()
	case p.Next().Is("begin"):
		err = p.ErrorAt(p.Next(), "a batch is not taken: give one of its statements")
	default:
		err = p.Unexpected("INSERT, UPDATE or DELETE")
	}
	if err != nil {
		return nil, err
	}
	p.Take(";")
	if p.Next().Kind != lex.End {
		return nil, p.Unexpected("the end of the statement")
	}
	p.s.Text = text[from:p.end]
	p.s.using = min(p.s.using, p.end) - from // a comment may stand between
	return p.s, nil
}

type parser struct {
	*lex.Reader
	s   *Statement
	end int // offset behind the last value that was read

	inWhere  bool
	compared string // the column that a value is for, where that is known
}

// table reads the name of a table, with or without a keyspace.
func (p *parser) table() (err error) {
	p.s.TableAt = p.Next().At
	p.s.Keyspace, p.s.Table, err = p.QualifiedName("a table")
	return err
}

func (p *parser) insert() error {
	p.s.Kind = Insert
	if err := p.Expect("into"); err != nil {
		return err
	}
	if err := p.table(); err != nil {
		return err
	}
	if p.Next().Is("json") {
		return p.ErrorAt(p.Next(), "INSERT JSON is not taken: a load reads JSON by itself")
	}
	if err := p.columns(); err != nil {
		return err
	}
	if err := p.Expect("values"); err != nil {
		return err
	}
	if !p.Next().Is("(") {
		return p.Unexpected("(")
	}
	if err := p.terms("if", "using"); err != nil {
		return err
	}
	if p.Take("if") {
		p.s.Conditional = true
		if err := p.Expect("not"); err != nil {
			return err
		}
		p.end = p.Next().End
		if err := p.Expect("exists"); err != nil {
			return err
		}
	}
	p.s.using = p.Next().At
	return p.usingClause()
}

// columns reads the list of columns of an INSERT.
func (p *parser) columns() error {
	if err := p.Expect("("); err != nil {
		return err
	}
	for {
		name, err := p.Name("a column")
		if err != nil {
			return err
		}
		p.s.changed = append(p.s.changed, name)
		if p.Take(")") {
			return nil
		}
		if err := p.Expect(","); err != nil {
			return err
		}
	}
}

func (p *parser) update() error {
	p.s.Kind = Update
	if err := p.table(); err != nil {
		return err
	}
	p.s.using = p.Next().At
	if err := p.usingClause(); err != nil {
		return err
	}
	if err := p.Expect("set"); err != nil {
		return err
	}
	for {
		if err := p.assignment(); err != nil {
			return err
		}
		if !p.Take(",") {
			break
		}
	}
	return p.where()
}

// assignment reads one assignment of an UPDATE.
func (p *parser) assignment() error {
	name, err := p.Name("a column")
	if err != nil {
		return err
	}
	p.s.changed, p.compared = append(p.s.changed, name), name
	within, err := p.within()
	if err != nil {
		return err
	}
	adds := false
	if !within {
		adds = p.Take("+") // v += term, v -= term
		if !adds {
			p.Take("-")
		}
	}
	if err := p.Expect("="); err != nil {
		return err
	}
	if !within && !adds && p.After(1).Is("+") {
		p.noteAppended(name, 2)
	} else if adds {
		p.noteAppended(name, 0)
	}
	return p.terms(",", "where")
}

// noteAppended notes the marker that stands n tokens after the next one, if one does. It is added
// to the named column.
func (p *parser) noteAppended(column string, n int) {
	marker := p.After(n + 1)
	switch t := p.After(n); {
	case t.Is("?"):
		p.s.Appended = append(p.s.Appended, column)
	case t.Is(":") && (marker.Kind == lex.Word || marker.Kind == lex.Name):
		p.s.Appended = append(p.s.Appended, marker.Text)
	}
}

// within reads the element or the field of a column, and reports whether there is one.
func (p *parser) within() (bool, error) {
	switch {
	case p.Next().Is("["):
		return true, p.brackets()
	case p.Take("."):
		_, err := p.Name("a field")
		return true, err
	default:
		return false, nil
	}
}

func (p *parser) delete() error {
	p.s.Kind = Delete
	for !p.Take("from") {
		name, err := p.Name("a column")
		if err != nil {
			return err
		}
		within, err := p.within()
		if err != nil {
			return err
		}
		if within {
			p.s.changed, p.s.cut = append(p.s.changed, name), append(p.s.cut, name)
		}
		if !p.Take(",") && !p.Next().Is("from") {
			return p.Unexpected("FROM")
		}
	}
	if err := p.table(); err != nil {
		return err
	}
	p.s.using = p.Next().At
	if err := p.usingClause(); err != nil {
		return err
	}
	return p.where()
}

// where reads the conditions of an UPDATE or DELETE.
func (p *parser) where() error {
	if err := p.Expect("where"); err != nil {
		return err
	}
	p.inWhere = true
	err := p.terms("if")
	p.inWhere = false
	if err != nil {
		return err
	}
	if p.Take("if") {
		p.s.Conditional = true
		return p.terms()
	}
	return nil
}

// usingClause reads USING with its parts.
func (p *parser) usingClause() error {
	if !p.Take("using") {
		return nil
	}
	p.s.using = p.Next().At
	for {
		switch {
		case p.Take("timestamp"):
			p.s.Timestamp = true
			switch t := p.Next(); {
			case t.Is(":"):
				p.s.Stamp = ":" + p.After(1).Text
			case t.Is("?"), t.Kind == lex.Number:
				p.s.Stamp = t.Text
			}
		case p.Take("ttl"):
			p.s.TTL = true
		default:
			return p.Unexpected("TIMESTAMP or TTL")
		}
		if err := p.terms("and", "set", "where"); err != nil {
			return err
		}
		if !p.Take("and") {
			return nil
		}
	}
}

// brackets reads terms in brackets.
func (p *parser) brackets() error {
	if err := p.Expect("["); err != nil {
		return err
	}
	if err := p.terms("]"); err != nil {
		return err
	}
	return p.Expect("]")
}

// constants are words behind the colon of a map that are values, and no names of markers.
var constants = []string{"null", "true", "false", "nan", "infinity"}

// isMarker reports whether a token behind a colon is the name of a marker, and no value of a map.
func (p *parser) isMarker(t lex.Token) bool {
	switch {
	case p.Next().Is("("), p.Next().Is("."): // a function
		return false
	case t.Kind == lex.Name:
		return true
	default:
		return t.Kind == lex.Word && !slices.Contains(constants, t.Text)
	}
}

// note notes a marker, within that many brackets, and braces among them.
func (p *parser) note(name string, open, braces int) {
	p.s.Markers = append(p.s.Markers, Marker{name, p.inWhere && open == 0, braces > 0})
}

// terms reads terms up to one of the given words, and notes the functions that are called.
func (p *parser) terms(until ...string) error {
	var before lex.Token
	braces, open := 0, 0
	_, err := p.Terms(func(t lex.Token) error {
		p.end = t.End
		switch {
		case t.Is("{"):
			braces++
			open++
		case t.Is("}"):
			braces--
			open--
		case t.Is("("), t.Is("["):
			open++
		case t.Is(")"), t.Is("]"):
			open--
		case t.Is("?"):
			p.note(p.compared, open, braces)
		case before.Is(":") && p.isMarker(t):
			p.note(t.Text, open, braces)
		case p.inWhere && open == 0 && (t.Kind == lex.Word || t.Kind == lex.Name) &&
			!before.Is(":") && !t.Is("and") && !t.Is("in"):
			p.compared = t.Text
		}
		if t.Is("in") && (before.Kind == lex.Word || before.Kind == lex.Name) {
			p.s.In = append(p.s.In, before.Text)
		}
		before = t
		if p.Calls(t) && !isPure(t.Text) && !slices.Contains(p.s.functions, t.Text) {
			p.s.functions = append(p.s.functions, t.Text)
		}
		return nil
	}, until...)
	return err
}
