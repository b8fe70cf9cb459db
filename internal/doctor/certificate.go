package doctor

import (
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/human"
)

// Certificate is one that connections are secured by.
type Certificate struct {
	Of   string // a node's address, or what the flag is called
	Ends time.Time
	Err  error // why Ends is not known, or the certificate is not accepted
}

// soon is how long before its end a certificate is warned of.
const soon = 30 * 24 * time.Hour

// Certificates says which certificates have ended, or soon will. Without any, connections are not
// secured.
func Certificates(all []Certificate, now time.Time) []Finding {
	if len(all) == 0 {
		return []Finding{Fine("off: connections are not secured (--ssl)")}
	}
	var out []Finding
	var left []Certificate
	for _, c := range all {
		switch {
		case c.Err != nil:
			out = append(out, Fail("", "%v", c.Err))
		case !c.Ends.After(now):
			out = append(
				out,
				Fail("renew it", "the certificate of %s ended on %s", c.Of, day(c.Ends)),
			)
		default:
			left = append(left, c)
		}
	}
	slices.SortStableFunc(left, func(a, b Certificate) int { return a.Ends.Compare(b.Ends) })
	if len(left) == 0 {
		return out
	}
	first := left[0]
	days := int(first.Ends.Sub(now).Hours() / 24)
	if first.Ends.Sub(now) < soon {
		f := Warn(
			"renew it",
			"the certificate of %s ends in %s, on %s",
			first.Of,
			human.Of(days, "day"),
			day(first.Ends),
		)
		if n := slices.IndexFunc(
			left,
			func(c Certificate) bool { return c.Ends.Sub(now) >= soon },
		); n > 1 ||
			n < 0 && len(left) > 1 {
			if n < 0 {
				n = len(left)
			}
			f.Found += "; " + human.Of(n-1, "other") + " soon after"
			f.Do = "renew them"
		}
		return append(out, f)
	}
	return append(
		out,
		Fine(
			"%s, the first ends in %s (%s)",
			human.Of(len(left), "certificate"),
			human.Of(days, "day"),
			first.Of,
		),
	)
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }
