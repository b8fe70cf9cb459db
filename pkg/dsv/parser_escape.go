package dsv

import "bytes"

// parseEscaped is parse for a format with an escape, with Trim, or with a delimiter of several
// bytes.
func (p *Parser) parseEscaped(start, first int) (end int) {
	data := p.chunk.Data
	eol := first // end of the line that contains i
	esc := -1    // if not before i: the first escape of the line at or after i, or eol
	for i := start; ; {
		var text []byte
		var next int // index after the field
		if p.blanks.any {
			i = p.blanks.skip(data[:eol], i)
		}
		quoted := i < eol && data[i] == p.f.Quote
		if quoted {
			if p.esc == 0 {
				text, next = p.quoted(i, first)
			} else {
				text, next = p.quotedEscaped(i, first)
			}
			if next < 0 {
				return p.unclosed(start, first)
			}
			if next > eol {
				eol = p.lineEnd(next)
			}
			if p.blanks.any {
				next = p.blanks.skip(data[:eol], next)
			}
			if next < eol && !p.isDelimiter(next, eol) && !endsWithCR(data, next, eol) {
				p.failBehind(start, i, next)
				return min(eol+1, len(data))
			}
		} else {
			if esc < i && p.outer == 0 {
				esc = eol
			} else if esc < i {
				esc = seek(data[:eol], i, i, p.outer)
			}
			if text, next = p.unquoted(i, esc, eol); next < 0 {
				p.fail(start, len(data)-1, cutEscape)
				return len(data)
			}
		}
		p.add(start, i, text, quoted)
		if !p.isDelimiter(next, eol) {
			return min(eol+1, len(data))
		}
		i = next + 1 + len(p.f.Rest)
	}
}

// isDelimiter reports whether there is a delimiter at i, in the line that ends at eol.
func (p *Parser) isDelimiter(i, eol int) bool {
	data := p.chunk.Data
	return i < eol && data[i] == p.f.Delimiter &&
		(p.f.Rest == "" || bytes.HasPrefix(data[i+1:eol], []byte(p.f.Rest)))
}

// seekDelimiter is seek for the delimiter.
func (p *Parser) seekDelimiter(data []byte, pos, from int) int {
	if p.f.Rest != "" {
		return indexDelimiter(data, max(pos, from), p.f.Delimiter, p.f.Rest)
	}
	return seek(data, pos, from, p.f.Delimiter)
}

// endsWithCR reports whether the rest of the line, which ends at eol, is only the CR of a CRLF.
func endsWithCR(data []byte, i, eol int) bool {
	return i+1 == eol && eol < len(data) && data[i] == '\r'
}

// unquoted returns the text of the unquoted field at i, and the index of the delimiter or line end
// after it. The index is -1 if the input ends after an escape. The caller passes esc, the first
// escape at or after i, or eol, and eol, the end of the line.
func (p *Parser) unquoted(i, esc, eol int) (text []byte, next int) {
	data := p.chunk.Data
	next = p.seekDelimiter(data[:eol], i, i)
	from := i
	mark := len(p.scratch)
	for esc < next {
		if esc+1 == len(data) {
			return nil, -1
		}
		p.scratch = append(p.scratch, data[from:esc]...)
		p.scratch = append(p.scratch, p.unescaped(data[esc+1]))
		from = esc + 2
		next = p.seekDelimiter(data[:eol], from, next)
		esc = seek(data[:next], from, from, p.outer)
	}
	if next == eol && from < eol && endsWithCR(data, eol-1, eol) {
		next--
	}
	to := next
	if p.blanks.any {
		to = p.blanks.trimEnd(data[:next], from)
	}
	if from == i {
		return data[i:to:to], next
	}
	p.scratch = append(p.scratch, data[from:to]...)
	return p.scratch[mark:len(p.scratch):len(p.scratch)], next
}

// quotedEscaped is quoted for a format with an escape.
func (p *Parser) quotedEscaped(open, first int) (text []byte, next int) {
	data := p.chunk.Data
	if p.endless {
		data = data[:first]
	}
	from := open + 1
	q := from  // no quote in [from, q)
	mark := -1 // start of the text in scratch; -1: not there
	for {
		q = seek(data, from, q, p.f.Quote)
		single := q // the byte to drop; the byte after it is data
		if e := bytes.IndexByte(data[from:q], p.esc); e >= 0 {
			single = from + e
		}
		switch {
		case single == len(data) || single < q && single+1 == len(data):
			if !p.endless {
				p.lastOpen = open
			}
			return nil, -1
		case single < q || q+1 < len(data) && data[q+1] == p.f.Quote:
			if mark < 0 {
				mark = len(p.scratch)
			}
			b := data[single+1]
			p.scratch = append(p.scratch, data[from:single]...)
			if single < q {
				if !p.isEscaped(b) {
					p.scratch = append(p.scratch, p.esc)
				}
				b = p.unescaped(b)
			}
			p.scratch = append(p.scratch, b)
			from = single + 2
		case mark < 0:
			return data[from:q:q], q + 1
		default:
			p.scratch = append(p.scratch, data[from:q]...)
			return p.scratch[mark:len(p.scratch):len(p.scratch)], q + 1
		}
	}
}

// isEscaped reports whether an escape before a byte, inside quotes, is no byte of the text.
func (p *Parser) isEscaped(b byte) bool {
	return !p.f.EscapeInQuotes || b == p.f.Quote || b == p.esc ||
		p.f.NewlineEscapes && unescaped(b) != b
}

// unescaped returns what the byte behind an escape stands for.
func (p *Parser) unescaped(b byte) byte {
	if p.f.NewlineEscapes {
		return unescaped(b)
	}
	return b
}
