package dialect

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
)

// localTimestamps reads timestamps as their codec does, but those without an offset as times of a
// location.
type localTimestamps struct {
	format.Codec
	location *time.Location
}

// AppendWire implements format.Codec.
func (l localTimestamps) AppendWire(dst, text []byte) ([]byte, error) {
	mark := len(dst)
	// What can be read with a Z after it has no offset, and is not a number.
	dst = append(append(dst, text...), 'Z')
	out, err := l.Codec.AppendWire(dst, dst[mark:])
	if err != nil || len(out) != len(dst)+8 {
		return l.Codec.AppendWire(dst[:mark], text)
	}
	clock := time.UnixMilli(int64(binary.BigEndian.Uint64(out[len(dst):]))).UTC()
	year, month, day := clock.Date()
	hour, minute, second := clock.Clock()
	local := time.Date(year, month, day, hour, minute, second, clock.Nanosecond(), l.location)
	t, err := instant(local, clock)
	if err != nil {
		return dst[:mark], cqltext.Invalid("timestamp", text, err)
	}
	return binary.BigEndian.AppendUint64(dst[:mark], uint64(t.UnixMilli())), nil
}

// instant returns the time of a location at which clocks there show what clock has, as UTC. The
// time that time.Date returns for it is local. When clocks are changed, they skip some times and
// show others twice: these are errors.
func instant(local, clock time.Time) (time.Time, error) {
	if local.Location() == time.UTC {
		return local, nil
	}
	if !shows(local, clock) {
		return local, clockError(
			"clocks in %s skip this time; give it with an offset from UTC",
			local.Location(),
		)
	}
	for _, shift := range clockChanges {
		if other := local.Add(shift); shows(other, clock) {
			return local, clockError(
				"clocks in %s show this time twice, at %s and %s; give it with an offset from UTC",
				local.Location(),
				local.UTC().Format(time.RFC3339),
				other.UTC().Format(time.RFC3339),
			)
		}
	}
	return local, nil
}

// changedClocks is why a local time is no time, or is two.
type changedClocks struct{ text string }

func (c *changedClocks) Error() string { return c.text }

func clockError(form string, values ...any) error {
	return &changedClocks{fmt.Sprintf(form, values...)}
}

// clockChanges is how much clocks are changed by.
var clockChanges = [...]time.Duration{
	-2 * time.Hour, -time.Hour, -30 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour,
}

func shows(local, clock time.Time) bool {
	_, offset := local.Zone()
	return local.Unix()+int64(offset) == clock.Unix()
}
