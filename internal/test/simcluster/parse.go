package simcluster

import (
	"fmt"
	"slices"
)

// parse reads a statement, once: the cluster keeps what it has read. The error
// names the text.
func (c *Cluster) parse(text string) (*statement, error) {
	if st, ok := c.parsed.Load(text); ok {
		return st.(*statement), nil
	}
	st, err := parse(text)
	if err == nil {
		c.parsed.Store(text, st)
	}
	return st, err
}

// parser reads a statement piece by piece; after the first error nothing counts.
type parser struct {
	in     []lexeme
	st     *statement
	failed bool
}

func parse(text string) (*statement, error) {
	in, err := lex(text)
	if err != nil {
		return nil, syntaxError{err}
	}
	p := &parser{in: in, st: &statement{text: text}}
	switch p.st.verb = p.next().text; p.st.verb {
	case "select":
		p.selection()
	case "insert":
		p.insertion()
	case "update":
		p.update()
	default:
		p.failed = true
	}
	p.optional(";")
	if p.failed || p.in[0].kind != 0 {
		return nil, syntaxError{fmt.Errorf("simcluster does not understand %q", text)}
	}
	return p.st, nil
}

func (p *parser) next() lexeme {
	l := p.in[0]
	if l.kind != 0 {
		p.in = p.in[1:]
	}
	return l
}

// optional takes a keyword or sign if it is next.
func (p *parser) optional(text string) bool {
	if l := p.in[0]; l.kind == 'q' || l.kind == 't' || l.kind == 0 || l.text != text {
		return false
	}
	p.next()
	return true
}

func (p *parser) expect(words ...string) {
	for _, w := range words {
		p.failed = p.failed || !p.optional(w)
	}
}

func (p *parser) name() string {
	l := p.next()
	p.failed = p.failed || l.kind != 'n' && l.kind != 'q'
	return l.text
}

func (p *parser) tableName() {
	p.st.keyspace = p.name()
	p.expect(".")
	p.st.table = p.name()
}

// list reads things with commas between.
func (p *parser) list(one func()) {
	for one(); !p.failed && p.optional(","); {
		one()
	}
}

func (p *parser) term() term {
	switch l := p.next(); {
	case l.kind == '?':
		p.st.markers++
		return term{marker: p.st.markers - 1}
	case l.kind == 't' || l.kind == 'd':
		return term{marker: -1, literal: l.text}
	case l.kind == 'n' && (l.text == "true" || l.text == "false"):
		return term{marker: -1, literal: l.text}
	case l.kind == 'n' && l.text == "null":
		return term{marker: -1, null: true}
	default:
		p.failed = true
		return term{}
	}
}

func (p *parser) selection() {
	if !p.optional("*") {
		p.list(p.selector)
	}
	p.expect("from")
	p.tableName()
	if p.optional("where") {
		p.conditions()
	}
	if p.optional("group") {
		p.expect("by")
		p.list(func() { p.name() })
		p.st.grouped = true
	}
	if p.optional("allow") {
		p.expect("filtering")
		p.st.filtering = true
	}
	if p.optional("using") {
		p.expect("timeout")
		p.next()
	}
}

func (p *parser) selector() {
	s := selector{column: p.name()}
	if p.optional("(") {
		s.function, s.column = s.column, ""
		switch s.function {
		case "count":
			p.expect("*")
		case "writetime", "ttl":
			s.column = p.name()
		case "token":
			p.list(func() { p.name() })
		case "totimestamp":
			p.expect("now", "(", ")")
		default:
			p.failed = true
		}
		p.expect(")")
	}
	p.st.selectors = append(p.st.selectors, s)
}

func (p *parser) conditions() {
	for {
		cond := condition{column: p.name()}
		if cond.column == "token" && p.optional("(") {
			cond.onToken = true
			p.list(func() { p.name() })
			p.expect(")")
		}
		cond.op = p.next().text
		p.failed = p.failed || !slices.Contains([]string{"=", "<", ">", "<=", ">="}, cond.op)
		cond.value = p.term()
		p.st.where = append(p.st.where, cond)
		if p.failed || !p.optional("and") {
			return
		}
	}
}

func (p *parser) insertion() {
	p.expect("into")
	p.tableName()
	p.expect("(")
	p.list(func() { p.st.sets = append(p.st.sets, assigned{column: p.name()}) })
	p.expect(")", "values", "(")
	i := 0
	p.list(func() {
		if p.failed = p.failed || i == len(p.st.sets); !p.failed {
			p.st.sets[i].value = p.term()
			i++
		}
	})
	p.failed = p.failed || i < len(p.st.sets)
	p.expect(")")
	if !p.optional("using") {
		return
	}
	for {
		var into **term
		switch p.next().text {
		case "timestamp":
			into = &p.st.timestamp
		case "ttl":
			into = &p.st.ttl
		default:
			p.failed = true
			return
		}
		t := p.term()
		*into = &t
		if !p.optional("and") {
			return
		}
	}
}

func (p *parser) update() {
	p.tableName()
	p.expect("set")
	p.list(func() {
		name := p.name()
		p.expect("=")
		p.failed = p.failed || p.name() != name
		p.expect("+")
		p.st.sets = append(p.st.sets, assigned{name, p.term()})
	})
	p.expect("where")
	p.conditions()
}
