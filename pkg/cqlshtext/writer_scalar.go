package cqlshtext

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/timepattern"
)

// ownText writes values as package cqltext does.
type ownText struct{ own cqltext.Codec }

func (w ownText) appendText(dst, wire []byte) ([]byte, error) { return w.own.AppendText(dst, wire) }

// plainText writes a text unchanged. COPY TO doubles each backslash and replaces control characters
// by \n, \r, \t or \xNN, which COPY FROM does not reverse.
type plainText struct{}

func (plainText) appendText(dst, wire []byte) ([]byte, error) { return append(dst, wire...), nil }

// quotedText writes a text inside another type, in single quotes, which are doubled in the text.
type quotedText struct{}

func (quotedText) appendText(dst, wire []byte) ([]byte, error) {
	return appendInQuotes(dst, wire), nil
}

func appendInQuotes(dst, text []byte) []byte {
	dst = append(dst, '\'')
	for _, c := range text {
		if c == '\'' {
			dst = append(dst, '\'')
		}
		dst = append(dst, c)
	}
	return append(dst, '\'')
}

// nestedText returns the writer of a type inside another one. It writes nothing for a value without
// bytes, as COPY TO does.
func nestedText(kind cqltype.Kind, w textWriter) textWriter {
	switch kind {
	case cqltype.Timestamp, cqltype.Inet:
		w = inQuotes{w}
	case cqltype.UUID, cqltype.TimeUUID, cqltype.Time, cqltype.Duration:
		// They have no quotes, also if there are colons in them.
	default:
		w = quotedIfNeeded{w}
	}
	return notEmpty{w}
}

// notEmpty writes nothing for a value without bytes.
type notEmpty struct{ textWriter }

func (w notEmpty) appendText(dst, wire []byte) ([]byte, error) {
	if len(wire) == 0 {
		return dst, nil
	}
	return w.textWriter.appendText(dst, wire)
}

// inQuotes writes a value inside another type in single quotes.
type inQuotes struct{ textWriter }

func (w inQuotes) appendText(dst, wire []byte) ([]byte, error) {
	dst, err := w.textWriter.appendText(append(dst, '\''), wire)
	return append(dst, '\''), err
}

// quotedIfNeeded writes a value inside another type. COPY TO leaves out the quotes even if a
// separator of the number is one of the type's, so that [1,5] are two numbers. Here it has quotes
// then, which COPY FROM reads.
type quotedIfNeeded struct{ textWriter }

func (w quotedIfNeeded) appendText(dst, wire []byte) ([]byte, error) {
	mark := len(dst)
	dst, err := w.textWriter.appendText(dst, wire)
	if err != nil || !slices.ContainsFunc(dst[mark:], separates) {
		return dst, err
	}
	text := slices.Clone(dst[mark:])
	return appendInQuotes(dst[:mark], text), nil
}

// separates reports whether a byte has a meaning between the elements of a type.
func separates(c byte) bool { return strings.IndexByte(",:[]{}()'", c) >= 0 }

// boolText writes booleans as the words of BOOLSTYLE.
type boolText struct {
	ownText
	yes, no []byte
}

func (w *boolText) appendText(dst, wire []byte) ([]byte, error) {
	switch {
	case len(wire) != 1:
		return w.ownText.appendText(dst, wire)
	case wire[0] != 0:
		return append(dst, w.yes...), nil
	default:
		return append(dst, w.no...), nil
	}
}

// dateText writes dates outside the years 1 to 9999 as days since 1970-01-01.
type dateText struct{ ownText }

func (w *dateText) appendText(dst, wire []byte) ([]byte, error) {
	if len(wire) == 4 {
		days := int64(binary.BigEndian.Uint32(wire)) - cqlwire.DateEpoch
		if days < firstDay || days > lastDay {
			return strconv.AppendInt(dst, days, 10), nil
		}
	}
	return w.ownText.appendText(dst, wire)
}

// inetText writes addresses as inet_ntop of the C library does. If an address has zeros before its
// last four bytes, these have points between them.
type inetText struct{ ownText }

func (w *inetText) appendText(dst, wire []byte) ([]byte, error) {
	const rest = 12 // bytes before the last four
	if len(wire) != 16 || wire[12] == 0 && wire[13] == 0 ||
		slices.ContainsFunc(wire[:rest], func(b byte) bool { return b != 0 }) {
		return w.ownText.appendText(dst, wire)
	}
	return netip.AddrFrom4([4]byte(wire[rest:])).AppendTo(append(dst, "::"...)), nil
}

// timestampText writes timestamps in UTC by a pattern of strftime. Years outside 1 to 9999 have no
// text. Their timestamps are milliseconds, as for COPY TO.
type timestampText struct {
	ownText
	// parts are the pattern between the places of ".%f", where COPY TO writes milliseconds.
	parts []*timepattern.Pattern
}

func newTimestampText(own ownText, format string) (*timestampText, error) {
	w := &timestampText{ownText: own}
	for part := range strings.SplitSeq(format, ".%f") {
		p, err := timepattern.ParseDirectives(part)
		if err != nil {
			return nil, err
		}
		w.parts = append(w.parts, p)
	}
	return w, nil
}

func (w *timestampText) appendText(dst, wire []byte) ([]byte, error) {
	if len(wire) != 8 {
		return w.ownText.appendText(dst, wire)
	}
	ms := int64(binary.BigEndian.Uint64(wire))
	if ms < firstDay*msPerDay || ms >= (lastDay+1)*msPerDay {
		return strconv.AppendInt(dst, ms, 10), nil
	}
	t := time.UnixMilli(ms).UTC()
	for i, part := range w.parts {
		if i > 0 {
			n := t.Nanosecond() / int(time.Millisecond)
			dst = append(dst, '.', byte('0'+n/100), byte('0'+n/10%10), byte('0'+n%10))
		}
		dst, _ = part.Append(dst, t) // it fails for other years only
	}
	return dst, nil
}

// msPerDay is the milliseconds of a day.
const msPerDay = 24 * 60 * 60 * 1000
