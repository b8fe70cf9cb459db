package dsv

// FirstRows returns the length in bytes of the first rows of a text, line ends included. The text
// begins with a row and was made with AppendField. It has that many rows; otherwise FirstRows
// returns the length of the text.
func (f Format) FirstRows(text []byte, rows int) int {
	if rows <= 0 {
		return 0
	}
	esc, outer, quoted := f.escape(), f.OuterEscape(), false
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b == f.Quote:
			quoted = !quoted // twice where it is doubled
		case b == outer && outer != 0, b == esc && esc != 0 && quoted:
			i++
		case b == '\n' && !quoted:
			if rows--; rows == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}
