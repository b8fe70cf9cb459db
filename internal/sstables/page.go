package sstables

import (
	"bytes"
	"encoding/binary"
)

// page is a page of rows, copied. It implements row.Page.
type page struct {
	reader *Reader
	bytes  []byte
	// of each cell in bytes, from the first row's on; of a null ^ of where it would begin
	ends  []int
	width int // cells of a row
	rows  int
	state []byte

	counting bool   // key and number are of a partition that is being counted
	key      []byte // its cells, as they stand in bytes
	keyEnds  []int
	number   int64

	read  int // rows that were given
	cells [][]byte
}

// begin empties the page.
func (p *page) begin(r *Reader) {
	p.reader = r
	if p.bytes == nil {
		p.bytes = make([]byte, 0, r.o.PageBytes) // an empty cell is a part of it, and so is not nil
	}
	p.bytes, p.ends, p.state = p.bytes[:0], p.ends[:0], nil
	p.width, p.rows, p.read = r.o.Cells, 0, 0
	p.counting, p.number, p.key, p.keyEnds = false, 0, p.key[:0], p.keyEnds[:0]
	if r.o.Count {
		p.width++
	}
}

// full says whether a page has as many rows as were asked for, or as many bytes as one may have.
func (p *page) full(rows int) bool { return p.rows >= rows || len(p.bytes) >= p.reader.o.PageBytes }

// add appends a row.
func (p *page) add(cells [][]byte) {
	p.bytes, p.ends = appendCells(p.bytes, p.ends, cells)
	p.rows++
}

// appendCells appends cells and where they end.
func appendCells(b []byte, ends []int, cells [][]byte) ([]byte, []int) {
	for _, c := range cells {
		if c == nil {
			ends = append(ends, ^len(b))
			continue
		}
		b = append(b, c...)
		ends = append(ends, len(b))
	}
	return b, ends
}

// counts says whether a row is of the partition that is being counted.
func (p *page) counts(key [][]byte) bool {
	if !p.counting {
		return false
	}
	from := 0
	for i, c := range key {
		to := p.keyEnds[i]
		if !bytes.Equal(c, p.key[from:to]) {
			return false
		}
		from = to
	}
	return true
}

// count counts a row of a partition; without the cells of a key all rows are of one.
func (p *page) count(key [][]byte) {
	if !p.counts(key) {
		p.endNumber()
		p.counting, p.number = true, 0
		p.key, p.keyEnds = appendCells(p.key[:0], p.keyEnds[:0], key)
	}
	p.number++
}

// endCount ends the counting of a range: no row at all is a number too, where it is of no
// partition.
func (p *page) endCount() {
	if p.reader.o.Count && p.rows == 0 && p.width == 1 {
		p.counting = true
	}
	p.endNumber()
}

// endNumber appends the number of rows of the partition that was counted.
func (p *page) endNumber() {
	if !p.counting {
		return
	}
	p.counting = false
	base := len(p.bytes)
	p.bytes = append(p.bytes, p.key...)
	for _, end := range p.keyEnds {
		p.ends = append(p.ends, base+end) // a key has no nulls
	}
	p.bytes = binary.BigEndian.AppendUint64(p.bytes, uint64(p.number))
	p.ends = append(p.ends, len(p.bytes))
	p.rows++
}

// Next is a method of row.Page.
func (p *page) Next() bool {
	if p.read == p.rows {
		return false
	}
	from := 0
	if p.read > 0 {
		from = p.ends[p.read*p.width-1]
		if from < 0 {
			from = ^from
		}
	}
	p.cells = p.cells[:0]
	for _, end := range p.ends[p.read*p.width : (p.read+1)*p.width] {
		if end < 0 {
			p.cells = append(p.cells, nil)
			continue
		}
		p.cells = append(p.cells, p.bytes[from:end:end])
		from = end
	}
	p.read++
	return true
}

// Cells is a method of row.Page.
func (p *page) Cells() [][]byte { return p.cells }

// Rows is a method of row.Page.
func (p *page) Rows() int { return p.rows }

// State is a method of row.Page.
func (p *page) State() []byte { return p.state }

// Err is a method of row.Page.
func (p *page) Err() error { return nil }

// mostKept is how large a page's memory may be that is used again.
const mostKept = 4 << 20

// Close is a method of row.Page.
func (p *page) Close() {
	if cap(p.bytes) > mostKept {
		p.bytes = nil
		clear(p.cells)
	}
	p.reader.pages.Put(p)
}
