package reconcile

import "github.com/cqlbulk/cqlbulk/pkg/sstable"

// place keeps where a row or a marker stands, with bytes of its own.
type place struct {
	set    bool
	kind   sstable.BoundKind
	values [][]byte
	buf    []byte
}

// keep makes the place that of some values, which it copies. Null stays null.
func (p *place) keep(values [][]byte, kind sstable.BoundKind) {
	p.set, p.kind = true, kind
	p.buf, p.values = p.buf[:0], p.values[:0]
	for _, v := range values {
		p.buf = append(p.buf, v...)
	}
	from := 0
	for _, v := range values {
		if n := len(v); n > 0 { // an empty value stays one, and null
			v = p.buf[from : from+n : from+n]
			from += n
		}
		p.values = append(p.values, v)
	}
}
