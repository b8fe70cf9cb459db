package records

import "time"

// Drops maps each column that was ever dropped from a table to the time when it was last dropped.
// nil: not known.
type Drops map[string]DropTime

// DropTime is when a column was dropped, in milliseconds since the epoch.
type DropTime int64

// Time returns the moment, in UTC.
func (d DropTime) Time() time.Time { return time.UnixMilli(int64(d)).UTC() }

// DropsOf returns the times as a run directory has them.
func DropsOf(times map[string]time.Time) Drops {
	drops := make(Drops, len(times))
	for column, at := range times {
		drops[column] = DropTime(at.UnixMilli())
	}
	return drops
}

// Micros returns the times in microseconds since the epoch.
func (d Drops) Micros() map[string]int64 {
	times := make(map[string]int64, len(d))
	for column, at := range d {
		times[column] = at.Time().UnixMicro()
	}
	return times
}
