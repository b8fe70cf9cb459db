package progress

import "time"

// interval measures the time between readings.
type interval struct{ at time.Time }

// past returns the seconds since the last reading, at most Window, since the clock may jump.
func (w *interval) past(now time.Time) float64 {
	past := now.Sub(w.at)
	w.at = now
	return min(max(past, 0), Window).Seconds()
}

// leastLeft is the least time left, in seconds, that is shown before a stage ends.
const leastLeft = 1

// stagesLeft estimates how long a run with stages takes, once something was sent. Until then each
// stage has its own estimate.
type stagesLeft struct {
	interval
	name    string
	from    float64 // the share that was sent when sorting the slice began
	reading float64 // seconds of reading
	sending float64 // seconds of the other stages
	slice   float64 // the same, of this slice
	// seconds of the other stages for the whole work, by the slices before; 0: unknown
	cost float64
}

// observe records a stage with its time left, and returns the seconds that are left of the run; 0:
// unknown.
func (l *stagesLeft) observe(now time.Time, s *Staged, r reached) float64 {
	past := l.past(now)
	switch {
	case s.Name == StageReading && l.name != "" && l.name != StageReading: // the next slice
		l.slice = 0
		if sent := r.sent - r.before; sent > leastShare {
			l.cost = l.sending / sent
		}
	case s.Name != StageReading && l.slice == 0:
		l.from = r.sent
	}
	l.name = s.Name
	unread, perRead := max(1-r.read, 0), l.reading/max(r.read-r.before, leastShare)
	if s.Name == StageReading {
		l.reading += past
		switch {
		case l.cost == 0:
			return 0
		case s.Left == 0: // the stage has just begun
			return unread*perRead + (1-r.sent)*l.cost
		default:
			return s.Left + (1-r.sent)*l.cost
		}
	}
	l.sending += past
	l.slice += past
	if s.Waiting && unread < leastShare {
		return 0
	}
	rest, cost := s.Left, l.cost
	if rest == 0 || s.Name == StageSorting || s.Name == StageMaking {
		rest = (r.read-l.from)*cost - l.slice // like the slices before
		if rest = max(rest, 0); cost > 0 {
			rest = max(rest, leastLeft)
		}
	}
	if unread < leastShare || rest == 0 && cost == 0 {
		return rest
	}
	if cost == 0 {
		cost = (l.slice + rest) / max(r.read-l.from, leastShare)
	}
	return rest + unread*(cost+perRead)
}

// receiptLeft estimates how long a run takes that reads what nodes stream to it. The run reads what
// it has received piece by piece, and the time of that is measured.
type receiptLeft struct {
	interval
	began time.Time
	done  float64 // share that this run had done at the last reading
	busy  float64 // seconds in which that grew
}

// observe records the receipt and the shares of the whole work. It returns the seconds that are
// left; 0: unknown.
func (l *receiptLeft) observe(now time.Time, in *Receiving, r reached) float64 {
	past := l.past(now)
	done := r.sent - r.before
	if done > l.done {
		l.busy += past
	}
	l.done = done
	if done < leastShare || now.Sub(l.began) < leftFrom || !in.All && in.Left == 0 {
		return 0
	}
	return in.Left + max(*in.Share-r.sent, 0)*l.busy/done
}
