package dsv

import "io"

// lineEnds reads each CR as LF, for inputs whose lines end in CR alone. Offsets do not change.
type lineEnds struct{ r io.Reader }

func (l *lineEnds) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i, b := range p[:n] {
		if b == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}
