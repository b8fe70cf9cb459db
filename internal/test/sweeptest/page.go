package sweeptest

import "errors"

// page implements row.Page over some rows of a table.
type page struct {
	table  *Table
	rows   []Row
	state  []byte
	read   int
	cells  [][]byte
	closed bool
}

func (p *page) Next() bool {
	if p.closed {
		p.table.blame("a page was used after it was closed")
		return false
	}
	p.spoil()
	if p.read == len(p.rows) {
		return false
	}
	p.cells = p.cells[:0]
	for _, c := range p.rows[p.read].Cells {
		if c != nil {
			c = append([]byte{}, c...)
		}
		p.cells = append(p.cells, c)
	}
	p.read++
	return true
}

// spoil overwrites the cells given out last.
func (p *page) spoil() {
	for _, c := range p.cells {
		for i := range c {
			c[i] = '!'
		}
	}
}

func (p *page) Cells() [][]byte { return p.cells }
func (p *page) Rows() int       { return len(p.rows) }
func (p *page) State() []byte   { return p.state }

func (p *page) Err() error {
	if p.closed {
		return errors.New("the page is closed")
	}
	return nil
}

func (p *page) Close() {
	if p.closed {
		p.table.blame("a page was closed twice")
		return
	}
	p.closed = true
	p.spoil()
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	p.table.closed++
}
