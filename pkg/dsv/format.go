package dsv

import "fmt"

// Format is the dialect: which byte parts fields and which one quotes them.
type Format struct {
	Delimiter byte // between two fields
	Quote     byte // around a field, and doubled inside it
}

// DefaultFormat is RFC 4180: comma and double quote.
var DefaultFormat = Format{Delimiter: ',', Quote: '"'}

// Validate tells whether the format can be read back unambiguously: delimiter
// and quote must be two different ASCII bytes, and neither NUL, CR nor LF.
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
	return nil
}

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
