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

// DefaultDateTimeFormat is cqlsh's format of timestamps.
const DefaultDateTimeFormat = "%Y-%m-%d %H:%M:%S.%f%z"

// Options are the options of COPY that change how a value is read. The zero Options are cqlsh's defaults.
type Options struct {
	// DateTimeFormat is DATETIMEFORMAT, as Python's strptime has it; DefaultDateTimeFormat when empty. A timestamp
	// that does not fit it is read as CQL writes timestamps, or as milliseconds.
	DateTimeFormat string
	// BoolTrue and BoolFalse are the words of BOOLSTYLE, read in any case; True and False when empty.
	BoolTrue, BoolFalse string
	// DecimalSep is DECIMALSEP, a point when empty.
	DecimalSep string
	// ThousandsSep is THOUSANDSSEP. It is dropped wherever it stands in a number.
	ThousandsSep string
	// Null is NULL, the text of null: of a whole field, and bare inside user types and tuples.
	Null string
	// TimestampUnit is what a timestamp given as a number counts, as for cqltext.PlanIn; a millisecond, as in
	// cqlsh, when zero. Numbers of seconds may have a fraction. cqlsh refuses one.
	TimestampUnit time.Duration
	// Unescape undoes in ascii and text the escapes that COPY TO writes, which COPY FROM does not: \\, \n, \r, \t
	// and \xNN.
	Unescape bool
}

// complete returns the options with the defaults filled in.
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

// nullText tells the whole fields that are null.
type nullText struct {
	asGiven, asWritten []byte
	// written says that the second spelling counts too; empty, that no text at all is null as well.
	written, empty bool
}

// newNullText is the rule for one type. COPY TO writes the word for null through the escapes of text, so that \N
// comes out as \\N, which COPY FROM does not take for null. Here it is null unless it could be a text.
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
	return bytes.Equal(text, n.asGiven) || n.written && bytes.Equal(text, n.asWritten) || n.empty && len(text) == 0
}

func isText(t *cqltype.Type) bool { return t.Kind == cqltype.Ascii || t.Kind == cqltype.Text }
