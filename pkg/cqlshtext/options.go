package cqlshtext

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// DefaultDateTimeFormat is the default format of timestamps in cqlsh.
const DefaultDateTimeFormat = "%Y-%m-%d %H:%M:%S.%f%z"

// Options are the options of COPY that change how a value is read. The zero Options are cqlsh's
// defaults.
type Options struct {
	// DateTimeFormat is DATETIMEFORMAT, in the directives of Python's strptime; empty:
	// DefaultDateTimeFormat. A timestamp that does not fit it is read in the forms of CQL, or as
	// milliseconds.
	DateTimeFormat string
	// BoolTrue and BoolFalse are the words of BOOLSTYLE, in any case; empty: True and False.
	BoolTrue, BoolFalse string
	// DecimalSep is DECIMALSEP; empty: a point.
	DecimalSep string
	// ThousandsSep is THOUSANDSSEP. It is removed wherever it occurs in a number. Empty: none.
	ThousandsSep string
	// Null is NULL, the text for null: as a whole field, and bare inside user types and tuples.
	Null string
	// TimestampUnit is the unit of a timestamp that is a number, as in cqltext.PlanIn; 0: a
	// millisecond, as in cqlsh. Numbers of seconds may have a fraction, which cqlsh refuses.
	TimestampUnit time.Duration
	// Unescape is true to reverse the escapes that COPY TO writes in ascii and text: \\, \n, \r, \t
	// and \xNN. COPY FROM does not reverse them.
	Unescape bool
}

// complete returns the options with the defaults set.
func (o Options) complete() (Options, error) {
	set := func(s *string, value string) {
		if *s == "" {
			*s = value
		}
	}
	set(&o.DateTimeFormat, DefaultDateTimeFormat)
	set(&o.BoolTrue, "True")
	set(&o.BoolFalse, "False")
	set(&o.DecimalSep, ".")
	o.TimestampUnit = cmp.Or(o.TimestampUnit, time.Millisecond)
	switch {
	case strings.EqualFold(o.BoolTrue, o.BoolFalse):
		return o, fmt.Errorf("true and false are the same word %q", o.BoolTrue)
	case strings.ContainsAny(o.DecimalSep+o.ThousandsSep, "0123456789"):
		return o, errors.New("a digit in the decimal point or the thousands separator")
	}
	return o, nil
}

// nullText is the rule for whole fields that are null.
type nullText struct {
	asGiven, asWritten []byte
	// written is true if the escaped spelling is also null; empty, if the empty text is.
	written, empty bool
}

// newNullText returns the rule for a type. COPY TO escapes the word for null, so that \N becomes
// \\N, which COPY FROM does not read as null. Here it is null unless it could be a text.
func newNullText(t *cqltype.Type, o Options) nullText {
	text := isText(t)
	return nullText{
		asGiven:   []byte(o.Null),
		asWritten: appendEscaped(nil, o.Null),
		written:   o.Unescape || !text,
		empty:     !text,
	}
}

func (n *nullText) is(text []byte) bool {
	return bytes.Equal(text, n.asGiven) || n.written && bytes.Equal(text, n.asWritten) ||
		n.empty && len(text) == 0
}

func isText(t *cqltype.Type) bool { return t.Kind == cqltype.Ascii || t.Kind == cqltype.Text }
