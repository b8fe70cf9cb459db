package dialect

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/timepattern"
)

// patterned reads dates, times or timestamps by patterns, and if none fits, as CQL does. The
// patterns come first: %Y-%d-%m reads what CQL would read as another day. A text that two patterns
// read as different values is an error.
type patterned struct {
	patterns []*timepattern.Pattern
	own      format.Codec
	name     string // of the type
	form     string // the form of CQL, for messages
	// A number is then a date without separators, and no number of CQL.
	numeric bool
	// wire appends what was read as a value, and returns an error if it is none.
	wire func(dst []byte, m *timepattern.Moment) ([]byte, error)
}

func newPatterned(
	texts []string,
	own format.Codec,
	t *cqltype.Type,
	form string,
	wire func([]byte, *timepattern.Moment) ([]byte, error),
) (format.Codec, error) {
	p := &patterned{own: own, name: t.String(), form: form, wire: wire}
	for _, text := range texts {
		pattern, err := timepattern.Parse(text)
		if err != nil {
			return nil, err
		}
		p.patterns = append(p.patterns, pattern)
		p.numeric = p.numeric || pattern.Numeric()
	}
	return p, nil
}

// AppendWire implements format.Codec.
func (p *patterned) AppendWire(dst, text []byte) ([]byte, error) {
	var by *timepattern.Pattern
	mark := len(dst)
	for _, pattern := range p.patterns {
		m, ok := pattern.Read(text)
		if !ok {
			continue
		}
		end := len(dst)
		var err error
		if dst, err = p.wire(dst, &m); err != nil {
			return dst[:mark], cqltext.Invalid(p.name, text, err)
		}
		if by == nil {
			by = pattern
			continue
		}
		same := bytes.Equal(dst[mark:end], dst[end:])
		if dst = dst[:end]; !same {
			return dst[:mark], cqltext.Invalid(p.name, text, p.twoReadings(by, pattern, text))
		}
	}
	if by != nil {
		return dst, nil
	}
	if !p.numeric || !isNumber(text) {
		out, err := p.own.AppendWire(dst, text)
		var changed *changedClocks
		if err == nil || errors.As(err, &changed) {
			return out, err
		}
	}
	return dst, cqltext.Invalid(p.name, text, p.misfit())
}

// twoReadings says that two patterns read a text as different values.
func (p *patterned) twoReadings(one, other *timepattern.Pattern, text []byte) error {
	form := "2006-01-02 15:04:05.999999999"
	if !one.HasTime() && !other.HasTime() {
		form = time.DateOnly
	}
	a, _ := one.Read(text)
	b, _ := other.Read(text)
	return fmt.Errorf(
		"two readings: %s by %q and %s by %q",
		a.Time(time.UTC).Format(form), one, b.Time(time.UTC).Format(form), other,
	)
}

func (p *patterned) misfit() error {
	var all []string
	for _, pattern := range p.patterns {
		all = append(all, fmt.Sprintf("%q", pattern))
	}
	return fmt.Errorf("not of the form %s, nor %s", strings.Join(all, " or "), p.form)
}

func isNumber(text []byte) bool {
	return len(text) > 0 && strings.Trim(string(text[1:]), "0123456789") == "" &&
		strings.IndexByte("+-0123456789", text[0]) >= 0
}

var errTimeOfDay = errors.New("a date has no time of day")

// appendDate appends a moment as a date.
func appendDate(dst []byte, m *timepattern.Moment) ([]byte, error) {
	const day = 24 * 60 * 60
	seconds := m.Time(time.UTC).Unix()
	if seconds%day != 0 || m.Nanos != 0 {
		return dst, errTimeOfDay
	}
	return binary.BigEndian.AppendUint32(dst, uint32(seconds/day+cqlwire.DateEpoch)), nil
}

// appendTime appends the time of day of a moment.
func appendTime(dst []byte, m *timepattern.Moment) ([]byte, error) {
	seconds := int64(m.Hour*60+m.Minute)*60 + int64(m.Second)
	return binary.BigEndian.AppendUint64(dst, uint64(seconds*1e9+int64(m.Nanos))), nil
}

// timestampsIn returns the function that appends a moment as a timestamp. It rounds fractions of a
// millisecond down, towards the past.
func timestampsIn(
	location *time.Location,
) func(dst []byte, m *timepattern.Moment) ([]byte, error) {
	return func(dst []byte, m *timepattern.Moment) ([]byte, error) {
		t, err := m.Time(location), error(nil)
		if !m.Zoned {
			t, err = instant(t, m.Time(time.UTC))
		}
		if err != nil {
			return dst, err
		}
		return binary.BigEndian.AppendUint64(dst, uint64(t.UnixMilli())), nil
	}
}
