package dsv

import "fmt"

// Format is the dialect: which byte parts fields, which one quotes them and
// which one takes the meaning from the byte behind it.
type Format struct {
	Delimiter byte // between two fields
	Quote     byte // around a field; inside it doubled, or escaped
	Escape    byte // before a byte that stands for itself; 0, or the same as Quote: none

	// Comment begins a line that is no record; 0: none does. It counts at the start of a record only.
	Comment byte
	// Trailing says that records end in a delimiter: an empty field behind the last delimiter is
	// left out. A record without that delimiter is read as it is.
	Trailing bool
	// CR says that lines end in CR alone. The Splitter then reads every CR as LF, in quotes too.
	CR bool
}

// DefaultFormat is RFC 4180: comma and double quote.
var DefaultFormat = Format{Delimiter: ',', Quote: '"'}

// Validate tells whether the format can be read back unambiguously: delimiter
// and quote must be two different ASCII bytes, and neither NUL, CR nor LF. The
// same holds for delimiter and escape, where there is an escape.
func (f Format) Validate() error {
	if err := checkByte("delimiter", f.Delimiter); err != nil {
		return err
	}
	if err := checkByte("quote", f.Quote); err != nil {
		return err
	}
	if f.Delimiter == f.Quote {
		return fmt.Errorf("delimiter and quote are both %q", rune(f.Quote))
	}
	if f.Comment != 0 {
		if err := checkByte("comment", f.Comment); err != nil {
			return err
		}
		if f.Comment == f.Delimiter || f.Comment == f.Quote || f.escapes() && f.Comment == f.Escape {
			return fmt.Errorf("comment is %q, which has another meaning", rune(f.Comment))
		}
	}
	if !f.escapes() {
		return nil
	}
	if err := checkByte("escape", f.Escape); err != nil {
		return err
	}
	if f.Delimiter == f.Escape {
		return fmt.Errorf("delimiter and escape are both %q", rune(f.Escape))
	}
	return nil
}

// escape returns the escape byte, or 0 when the format has none.
func (f Format) escape() byte {
	if f.escapes() {
		return f.Escape
	}
	return 0
}

// escapes tells whether the format has an escape.
func (f Format) escapes() bool { return f.Escape != 0 && f.Escape != f.Quote }

func checkByte(what string, b byte) error {
	switch {
	case b == 0 || b == '\r' || b == '\n':
		return fmt.Errorf("%s %q is reserved: NUL, CR and LF cannot be used", what, rune(b))
	case b >= 0x80:
		return fmt.Errorf("%s 0x%x is not an ASCII byte", what, b)
	}
	return nil
}

// must panics on a format that does not pass Validate: constructors take only
// formats that were checked where they came in.
func (f Format) must() {
	if err := f.Validate(); err != nil {
		panic("dsv: " + err.Error())
	}
}
