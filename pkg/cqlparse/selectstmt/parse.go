package selectstmt

import (
	"strconv"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/lex"
)

// Statement is a SELECT in parts.
type Statement struct {
	Keyspace string // empty: none is named
	Table    string
	TableAt  int    // offset of the table's name, or of its keyspace, in the text that was parsed
	Items    []Item // what is selected; empty: all columns, by *
	Where    string // the condition as CQL; empty: none
	// PerPartition is the number of rows of each partition, at most; 0: all.
	PerPartition   int64
	Limit          int64 // rows, at most; 0: all
	AllowFiltering bool
	Distinct       bool
	// Functions are the names of the functions that are called in Items, in lower case.
	Functions []string
}

// Item is one of the things that are selected.
type Item struct {
	Text   string // as CQL, with its alias
	Column string // the column, if it is nothing else; empty: it is more
}

// Parse parses the text of one SELECT. A semicolon may end it.
func Parse(text string) (*Statement, error) {
	r, err := lex.NewReader(text)
	if err != nil {
		return nil, err
	}
	p := &parser{Reader: r, s: &Statement{}}
	if err := p.statement(); err != nil {
		return nil, err
	}
	return p.s, nil
}

type parser struct {
	*lex.Reader
	s *Statement
}

func (p *parser) statement() error {
	if err := p.Expect("select"); err != nil {
		return err
	}
	if p.Next().Is("json") && !p.After(1).Is(",") && !p.After(1).Is("from") {
		return p.ErrorAt(p.Next(), "SELECT JSON is not taken: a scan writes JSON by itself")
	}
	if p.Next().Is("distinct") && !p.After(1).Is(",") && !p.After(1).Is("from") {
		p.Read()
		p.s.Distinct = true
	}
	if err := p.items(); err != nil {
		return err
	}
	if err := p.table(); err != nil {
		return err
	}
	if p.Take("where") {
		where, err := p.terms("per", "limit", "allow", "group", "order")
		if err != nil {
			return err
		}
		p.s.Where = where
	}
	return p.rest()
}

// items reads what is selected, and FROM.
func (p *parser) items() error {
	if p.Take("*") {
		return p.Expect("from")
	}
	for {
		first := p.Next()
		alone := p.After(1).Is(",") || p.After(1).Is("from")
		text, err := p.terms(",", "from")
		if err != nil {
			return err
		}
		item := Item{Text: text}
		if alone && (first.Kind == lex.Word || first.Kind == lex.Name) {
			item.Column = first.Text
		}
		p.s.Items = append(p.s.Items, item)
		if p.Take("from") {
			return nil
		}
		if !p.Take(",") {
			return p.Unexpected("a comma or FROM")
		}
	}
}

func (p *parser) table() (err error) {
	p.s.TableAt = p.Next().At
	p.s.Keyspace, p.s.Table, err = p.QualifiedName("a table")
	return err
}

// rest reads what follows the condition.
func (p *parser) rest() (err error) {
	switch {
	case p.Next().Is("group"):
		return p.ErrorAt(p.Next(), "GROUP BY is not taken: each token range would have its own groups")
	case p.Next().Is("order"):
		return p.ErrorAt(p.Next(), "ORDER BY is not taken: rows come in the order of their token ranges")
	}
	if p.Take("per", "partition", "limit") {
		if p.s.PerPartition, err = p.number(); err != nil {
			return err
		}
	}
	if p.Take("limit") {
		if p.s.Limit, err = p.number(); err != nil {
			return err
		}
	}
	p.s.AllowFiltering = p.Take("allow", "filtering")
	p.Take(";")
	if p.Next().Kind != lex.End {
		return p.Unexpected("the end of the statement")
	}
	return nil
}

// number reads a number of rows.
func (p *parser) number() (int64, error) {
	t := p.Next()
	n, err := strconv.ParseInt(t.Text, 10, 32)
	if t.Kind != lex.Number || err != nil || n < 1 {
		return 0, p.Unexpected("a number of rows")
	}
	p.Read()
	return n, nil
}

// terms reads terms up to one of the given words, and returns their text. It notes the functions
// that are called.
func (p *parser) terms(until ...string) (string, error) {
	var before lex.Token
	return p.Terms(func(t lex.Token) error {
		named := before.Is(":") && before.End == t.At && t.Kind == lex.Word
		if t.Is("?") || named && !t.Is("true") && !t.Is("false") && !t.Is("null") {
			return p.ErrorAt(t, "a marker: a scan has no values for it")
		}
		switch {
		case !p.Calls(t):
		case p.s.Table == "": // of what is selected
			p.s.Functions = append(p.s.Functions, t.Text)
		case t.Is("token"):
			return p.ErrorAt(t, "a range of tokens: the scan adds its own")
		}
		before = t
		return nil
	}, until...)
}
