package ingest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqljson"
	"github.com/cqlbulk/cqlbulk/pkg/jsonl"
	"github.com/cqlbulk/cqlbulk/pkg/jsonl/jsonscan"
)

var errTwice = errors.New("two members of the object are of this column")

// members says which column each member of an object goes to.
type members struct {
	table  *schema.Table
	fields Fields
	// by stored name: index into the mapping's columns, and behind those its times
	byName   map[string]int
	decoders []cqljson.Decoder
	strings  []Codec // by column, of its strings; nil: its decoder
}

// NewObjectMapping plans the members of JSON objects for columns: a member is
// known by the column's name. Members that a row lacks are null.
func NewObjectMapping(t *schema.Table, columns []schema.Column, f Fields) (*Mapping, error) {
	m, err := NewMapping(t, columns, Fields{})
	if err != nil {
		return nil, err
	}
	m.members = &members{table: t, fields: f, byName: make(map[string]int, len(columns))}
	for i, c := range columns {
		decoder, err := cqljson.PlanDecoderIn(c.Type, cmp.Or(f.TimestampUnit, time.Millisecond))
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name, err)
		}
		var own Codec
		if f.Strings != nil {
			if own, err = f.Strings(c.Type); err != nil {
				return nil, fmt.Errorf("column %q: %w", c.Name, err)
			}
		}
		m.members.decoders = append(m.members.decoders, decoder)
		m.members.strings = append(m.members.strings, own)
		m.members.byName[c.Name] = i
	}
	for i, c := range columns {
		for _, function := range []string{"ttl", "writetime"} {
			s, err := t.Select(function + "(" + c.Name + ")")
			if err != nil || s.Plain || f.Untimed {
				continue // it has none that could be loaded
			}
			m.members.byName[s.Name] = len(columns) + len(m.times)
			m.times = append(m.times, timing{name: s.Name, column: i, ttl: s.TTL})
		}
	}
	plain := maps.Clone(m.members.byName)
	for field, name := range f.Renamed {
		s, err := t.Select(name)
		if err != nil {
			return nil, err
		}
		i, ok := plain[s.Name]
		if !ok {
			return nil, fmt.Errorf("column %q is not among those to load", s.Column.Name)
		}
		m.members.byName[field] = i
	}
	for _, field := range f.Skipped {
		m.members.byName[field] = -1
	}
	return m, nil
}

// column finds the column of a member of an object, -1 when it is not loaded.
func (m *members) column(name []byte, of jsonl.Record) (int, error) {
	if i, ok := m.byName[string(name)]; ok {
		return i, nil
	}
	s, err := m.table.Select(string(name))
	if err != nil {
		unknown := []string{string(name)}
		names := memberNames(of)
		mayHold := func(column, field string) bool {
			return m.fields.mayHold(m.table, column, memberTexts(of, field))
		}
		columns := slices.DeleteFunc(
			m.fields.guessColumns(m.table, names),
			func(c renaming) bool { return c.near && !mayHold(c.column, c.field) },
		)
		keys := m.fields.missingKeys(m.table, names, columns)
		columns = slices.DeleteFunc(columns, func(c renaming) bool { return c.field != unknown[0] })
		hint := hintNames(m.table, columns, unknown, keys, mayHold)
		return 0, &hinted{
			err:      err,
			hint:     hint,
			form:     "%v; %s",
			settings: m.fields.naming(columns, unknown, keys),
			guess:    describeGuesses(columns),
		}
	}
	if i, ok := m.byName[s.Name]; ok {
		return i, nil
	}
	return 0, fmt.Errorf("column %q is not among those to load", s.Column.Name)
}

// memberTexts returns the value of a member as the text of a field; none: it is null, a list or an
// object.
func memberTexts(of jsonl.Record, name string) [][]byte {
	i := slices.IndexFunc(of.Fields, func(f jsonl.Field) bool { return string(f.Name) == name })
	if i < 0 {
		return nil
	}
	value := of.Fields[i].Value
	var text string
	switch {
	case bytes.Equal(value, []byte("null")), value[0] == '[', value[0] == '{':
		return nil
	case json.Unmarshal(value, &text) == nil:
		return [][]byte{[]byte(text)}
	default:
		return [][]byte{value}
	}
}

// memberNames returns the names of an object's members.
func memberNames(of jsonl.Record) []string {
	names := make([]string, len(of.Fields))
	for i, f := range of.Fields {
		names[i] = string(f.Name)
	}
	return names
}

// parseJSON is parse for a chunk of JSON lines.
func (p *parser) parseJSON(c *chunk, first bool) error {
	m := p.view.mapping
	p.json.Reset(c.Chunk)
	for n := 0; p.json.Next() && n < c.skip+c.count; n++ {
		if !p.takes(c, n, first) {
			continue
		}
		rec := p.json.Record()
		bad, member := p.object(c, m, rec, n)
		if bad == nil {
			continue
		}
		if !p.last {
			p.failed = append(p.failed, n)
			continue
		}
		if err := p.rejectObject(c, rec, bad, member, c.stamps.at(n)); err != nil {
			return err
		}
	}
	return nil
}

// object appends the row of the chunk's nth object. If there is no row, it returns the reason and
// the member to blame, or -1 if no single member is.
func (p *parser) object(c *chunk, m *Mapping, rec jsonl.Record, n int) (bad *badField, member int) {
	if rec.Err != nil {
		return badRow(rec.Err), -1
	}
	from := len(c.cells)
	size := rowOverhead
	for range m.Columns {
		c.cells = append(c.cells, p.null)
		if p.null.State == row.Null {
			size += cellOverhead
		}
	}
	cells := c.cells[from:len(c.cells):len(c.cells)]
	p.resetTimes(m, c.stamps.at(n))
	for i, f := range rec.Fields {
		column, err := m.members.column(f.Name, rec)
		null := string(f.Value) == "null" || err == nil && p.isNullMember(m, column, f.Value)
		switch {
		case err != nil:
			c.cells = c.cells[:from]
			return badRow(err), i
		case column >= len(cells):
			if bad := p.setTime(&m.times[column-len(cells)], f.Value, null); bad != nil {
				c.cells = c.cells[:from]
				return bad, i
			}
			continue
		case column < 0 || null:
			continue
		case cells[column].State == row.Set:
			c.cells = c.cells[:from]
			return &badField{column: column, err: errTwice}, i
		}
		at := len(c.arena)
		if c.arena, err = p.appendMember(c.arena, m, column, f.Value); err != nil {
			c.cells = c.cells[:from]
			return &badField{column: column, err: err}, i
		}
		wire := c.arena[at:len(c.arena):len(c.arena)]
		cells[column] = row.Cell{Bytes: wire, State: row.Set}
		size += m.shapes[column].size(wire)
		if p.view.times != nil && p.view.times[column] != nil {
			p.view.times[column].NoteTime(wire, f.Value, c.file.name, rec.Line)
		}
	}
	return p.finish(c, m, from, c.source(rec.Raw, rec.Line, rec.Offset, n), size), -1
}

// isNullMember reports whether a value that is not null itself is a string that stands for null. A
// column of text may hold any string, so none stands for null there.
func (p *parser) isNullMember(m *Mapping, column int, value []byte) bool {
	if len(p.view.nulls) == 0 || column < 0 || column >= len(m.Columns) || m.text[column] {
		return false
	}
	text, ok := p.stringOf(value)
	return ok &&
		slices.ContainsFunc(
			p.view.nulls,
			func(null []byte) bool { return string(null) == string(text) },
		)
}

// appendMember appends the value of a column that a member has.
func (p *parser) appendMember(dst []byte, m *Mapping, column int, value []byte) ([]byte, error) {
	if own := m.members.strings[column]; own != nil {
		if text, ok := p.stringOf(value); ok {
			return m.appendWire(dst, column, own, text)
		}
	}
	return m.appendWire(dst, column, m.members.decoders[column], value)
}

// stringOf returns the text of a JSON string, valid until the next call; false: the value is none.
func (p *parser) stringOf(value []byte) (text []byte, ok bool) {
	if value[0] != '"' {
		return nil, false
	}
	body := value[1 : len(value)-1]
	if jsonscan.PlainLen(body) == len(body) {
		return body, true
	}
	var err error
	p.utf8, err = jsonscan.AppendText(p.utf8[:0], body)
	return p.utf8, err == nil
}

// rejectObject hands over an object that made no row, with its place: that of the
// member to blame, or else of the line.
func (p *parser) rejectObject(
	c *chunk,
	rec jsonl.Record,
	bad *badField,
	member int,
	stamp int64,
) error {
	rej := Reject{
		File:   c.file.name,
		Raw:    rec.Raw,
		Line:   rec.Line,
		Field:  1,
		Offset: rec.Offset,
		Stamp:  stamp,
		Reason: bad.reason(),
		Stage:  Parse,
	}
	var syntax *jsonl.SyntaxError
	if errors.As(bad.err, &syntax) {
		rej.Field, rej.Reason = syntax.Column, syntax.Msg
	}
	rej.Column, rej.Settings, rej.Guess = bad.name(
		p.view.mapping,
	), settingsOf(
		bad.err,
	), guessOf(
		bad.err,
	)
	if member >= 0 {
		f := rec.Fields[member]
		rej.Line, rej.Field = rec.FieldPosition(member)
		rej.Value = shorten(f.Value)
	}
	rej.More = p.moreMembers(p.view.mapping, rec, bad, member)
	return c.tracker.keepReject(rej)
}
