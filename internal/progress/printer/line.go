package printer

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/safetext"
)

// part is a part of the line: its long form, and its brief form for narrow terminals. Both are
// empty if there is nothing to show.
type part struct {
	long, brief string
	paint       paint
}

// The parts are in the order of importance. If there is no room for all, the last ones are left
// out.
const (
	partRejected = iota
	partFailed
	partRetries
	partTrouble
	partShare
	partRows
	partReceiving
	partStage
	partRate
	partBytes
	partHeld
	partUnderWay
	partLatency
	partLeft
	partLimited
	partSent
	partRun
	partKinds
)

// widths are the widths of parts whose numbers change. They are padded with blanks, so that the
// parts behind them stay in place. A part of width 0 is as wide as its text.
var widths = [partKinds]struct{ long, brief int }{
	partRejected: {brief: len("1.23k rej")},
	partFailed:   {brief: len("1.23k failed")},
	partRetries:  {brief: len("1.23k retr")},
	partShare:    {len("100.0%"), len("100%")},
	partRows:     {len("1,234,567,890 rows"), len("1.23M rows")},
	partRate:     {len("1,234,567 rows/s"), len("1.23M/s")},
	partBytes:    {len("1023.9 MiB/s"), len("1023.9MiB/s")},
	partUnderWay: {len("1,024 requests"), len("1.02k req")},
	partHeld:     {long: len("p99 1.23ms within target 1.23ms")},
	partLatency:  {len("p50 1.23ms p99 1.23ms"), len("p99 1.23ms")},
	partLeft:     {len("59m59s left"), len("59m59s left")},
}

// partsOf returns a reading in words. The set of parts changes as rarely as possible: a figure that
// is unknown now is a dash.
func partsOf(r progress.Reading) (parts [partKinds]part) {
	parts[partRejected] = losses(r.Rejected, "rejected", "rej", red)
	parts[partFailed] = losses(r.Failed, human.Noun(r.Failed, "range")+" failed", "failed", red)
	parts[partRetries] = losses(r.Retries, human.Noun(r.Retries, "retry"), "retr", yellow)
	if r.Trouble != "" {
		reason := safetext.Line(r.Trouble)
		brief, cut := []rune(reason), "…"
		if len(brief) <= briefTrouble {
			cut = ""
		}
		parts[partTrouble] = part{
			"nothing succeeds: " + reason,
			"nothing succeeds: " + string(brief[:min(len(brief), briefTrouble)]) + cut,
			red,
		}
	}
	if r.Silent != nil && r.Trouble == "" {
		parts[partTrouble] = silentPart(r.Silent)
	}
	if r.Share != nil {
		parts[partShare] = part{human.Percent(*r.Share), wholePercent(*r.Share), plain}
	}
	parts[partRows] = part{
		human.Of(r.Rows, "row"),
		human.Briefly(r.Rows) + " " + human.Noun(r.Rows, "row"),
		plain,
	}
	if r.Earlier > 0 {
		parts[partRows].long += fmt.Sprintf(" (%s before)", human.Count(r.Earlier))
	}
	if r.Ready > 0 && r.Stage == nil {
		parts[partRows].long += fmt.Sprintf(", %s more read", human.Count(r.Ready))
		if r.Rows == 0 {
			parts[partRows].brief = human.Briefly(r.Ready) + " read"
		}
	}
	rate, bytes := int64(r.RowsPerSecond), int64(r.BytesPerSecond)
	parts[partRate] = part{human.Count(rate) + " rows/s", human.Briefly(rate) + "/s", plain}
	if r.Bytes > 0 || bytes > 0 {
		parts[partBytes] = part{
			human.Size(bytes) + "/s",
			strings.ReplaceAll(human.Size(bytes), " ", "") + "/s",
			plain,
		}
	}
	if r.Target > 0 {
		parts[partHeld] = heldPart(r)
	}
	if r.Limit > 0 || r.UnderWay > 0 || r.Answered > 0 {
		parts[partUnderWay] = part{
			human.Of(r.UnderWay, "request"),
			human.Briefly(r.UnderWay) + " req",
			plain,
		}
	}
	switch {
	case r.P99 > 0:
		parts[partLatency] = part{
			fmt.Sprintf("p50 %6s p99 %6s", seconds(r.P50), seconds(r.P99)),
			"p99 " + seconds(r.P99),
			plain,
		}
	case r.Answered > 0: // none recently
		parts[partLatency] = part{"p50 - p99 -", "p99 -", plain}
	}
	if p := &parts[partLatency]; r.Target > 0 &&
		p.long != "" { // the p99 of the requests, which come before
		p.long, p.brief = "their "+p.long, "their "+p.brief
	}
	parts[partLeft] = leftPart(r)
	parts[partSent], parts[partRun] = both(sentTo(r.Streams)), both(safetext.Line(r.Run))
	addStage(&parts, r)
	return parts
}

// silentPart names the nodes at which no request succeeds, whether they answer or not.
func silentPart(s *progress.Silence) part {
	of := safetext.Line(s.Node)
	switch {
	case s.Nodes > 1:
		of = human.Of(s.Nodes, "node")
	case of == "":
		of = "the nodes"
	}
	silent := time.Duration(s.Seconds * float64(time.Second)).Truncate(time.Second)
	return part{
		"no success at " + of + " for " + silent.String(),
		"no success for " + silent.String(),
		red,
	}
}

// both returns a part with one form.
func both(text string) part { return part{text, text, plain} }

// wholePercent returns a percentage without decimals, rounded down.
func wholePercent(share float64) string { return fmt.Sprintf("%.0f%%", math.Floor(100*share+1e-9)) }

// leftPart shows how much longer the run takes, or what it does now.
func leftPart(r progress.Reading) part {
	seconds, of := r.LeftOf()
	text := "- left"
	switch {
	case of != "":
		text = leftText(seconds) + " to " + of
	case seconds > 0:
		text = leftText(seconds) + " left"
	case r.Share == nil:
		return part{}
	}
	if r.Stage != nil || r.Receiving != nil { // which are left for different things
		text = fmt.Sprintf("%*s", widthOfLeft, text)
	}
	return both(text)
}

// widthOfLeft is the width of the time left of a streaming run.
const widthOfLeft = len("59m59s to receive")

// leftText formats an estimate of the time left, no more precisely than it can be known.
func leftText(seconds float64) string {
	d := time.Duration(min(seconds, 1e9) * float64(time.Second)).Round(time.Second)
	switch minutes := int(d.Round(time.Minute).Minutes()); {
	case d < 10*time.Minute:
		return d.String()
	case minutes < 60:
		return fmt.Sprintf("%dm", minutes)
	case minutes < 48*60:
		return fmt.Sprintf("%dh%02dm", minutes/60, minutes%60)
	default:
		return fmt.Sprintf("%dd", minutes/60/24)
	}
}

// heldPart shows how well the latency target is kept.
func heldPart(r progress.Reading) part {
	target := seconds(r.Target)
	switch {
	case r.Held == 0:
		return part{"target p99 " + target, "target " + target, plain}
	case r.Held > r.Target:
		above := fmt.Sprintf("p99 %s ABOVE target %s", seconds(r.Held), target)
		return part{above, above, red}
	default:
		return part{
			fmt.Sprintf("p99 %s within target %s", seconds(r.Held), target),
			fmt.Sprintf("p99 %s/%s", seconds(r.Held), target),
			plain,
		}
	}
}

// briefTrouble is the number of characters of a reason in its brief form.
const briefTrouble = 24

func losses(n int64, long, brief string, paint paint) part {
	if n == 0 {
		return part{}
	}
	return part{human.Count(n) + " " + long, human.Briefly(n) + " " + brief, paint}
}

func seconds(s float64) string { return human.Latency(time.Duration(s * float64(time.Second))) }

// sentTo shows how much was streamed to the nodes: the smallest and the largest amount, if they
// differ.
func sentTo(nodes []progress.Streamed) string {
	var most, sessions int64
	least := int64(math.MaxInt64)
	for _, n := range nodes {
		least, most, sessions = min(least, n.Bytes), max(most, n.Bytes), sessions+n.Sessions
	}
	if most == 0 {
		return ""
	}
	sizes := human.Size(most)
	if s := human.Size(least); s != sizes {
		sizes = s + " to " + sizes
	}
	to := human.Of(len(nodes), "node")
	if len(nodes) > 1 {
		to = "each of " + to
	}
	return fmt.Sprintf("%s sent to %s, %s", sizes, to, human.Of(sessions, "session"))
}

// Text returns a reading as a line of its own. Nothing is left out.
func Text(r progress.Reading) string { return ColorText(r, false) }

// ColorText is Text with or without colors.
func ColorText(r progress.Reading, color bool) string {
	var words []string
	for kind, p := range partsOf(r) {
		if p.long != "" && kind != partRun &&
			(kind != partLeft || strings.TrimSpace(p.long) != "- left") {
			word := strings.Join(strings.Fields(p.long), " ")
			if color {
				word = p.paint.on(word)
			}
			words = append(words, word)
		}
	}
	return safetext.Line(r.Run) + ": " + strings.Join(words, ", ")
}

// separators between the parts of a run, and between the runs
const (
	gap     = "  "
	between = " | "
)

// line is a live line, part by part.
type line struct {
	words [][partKinds]string
	paint [][partKinds]paint
	bar   string
}

// composer makes live lines, one after another.
type composer struct {
	width int
	// brief has, for each run, the parts that have been brief. They stay so: a part that changes
	// its form would move all behind it. It holds for one width and one number of runs.
	brief [][partKinds]bool
}

// compose makes the live line of some runs for a terminal of that many columns. A part that does
// not fit is left out. Brief forms are tried before parts are left out, and each of several runs
// has its share. What fits depends on the widths of the columns, not on their numbers.
func (c *composer) compose(runs []progress.Reading, width int) line {
	if c.width != width || len(c.brief) != len(runs) {
		c.width, c.brief = width, make([][partKinds]bool, len(runs))
	}
	width-- // some terminals begin a new line after the last column
	all := make([][partKinds]part, len(runs))
	l := line{
		words: make([][partKinds]string, len(runs)),
		paint: make([][partKinds]paint, len(runs)),
	}
	for i, r := range runs {
		all[i] = partsOf(r)
		if len(runs) > 1 { // the names of the runs come first
			all[i][partRun].brief, _, _ = strings.Cut(all[i][partRun].long, " ")
		}
		for kind, p := range all[i] {
			l.paint[i][kind] = p.paint
			if p.long != "" {
				all[i][kind].long = fmt.Sprintf("%*s", widths[kind].long, p.long)
				all[i][kind].brief = fmt.Sprintf("%*s", widths[kind].brief, p.brief)
			}
		}
	}
	try := func(run, kind int, text string) bool {
		before := l.words[run][kind]
		l.words[run][kind] = text
		if utf8.RuneCountInString(l.String(false)) <= width {
			return true
		}
		l.words[run][kind] = before
		return false
	}
	each := func(take func(run, kind int) bool) {
		for kind := range partKinds {
			for run := range all {
				if all[run][kind].long != "" && !take(run, kind) {
					return
				}
			}
		}
	}
	each(func(run, kind int) bool {
		if len(runs) > 1 && l.words[run][partRun] == "" &&
			!try(run, partRun, all[run][partRun].brief) {
			return false
		}
		return try(run, kind, all[run][kind].brief)
	})
	each(func(run, kind int) bool {
		p := all[run][kind]
		if l.words[run][kind] == "" || p.long == p.brief || c.brief[run][kind] {
			return true
		}
		// A part of a run in trouble may become long again, since the trouble may pass.
		if !try(run, kind, p.long) && runs[run].Trouble == "" {
			c.brief[run][kind] = true
		}
		return true
	})
	if len(runs) == 1 && runs[0].Share != nil && l.words[0][partRun] != "" {
		if room := min(width-utf8.RuneCountInString(l.String(false))-1, mostBar); room >= leastBar {
			l.bar = " " + barOf(*runs[0].Share, ahead(runs[0]), room)
		}
	}
	return l
}

// String joins the parts to one line, with or without colors. The name of a single run comes last,
// those of several runs first.
func (l line) String(color bool) string {
	var runs []string
	for run, parts := range l.words {
		var words []string
		for kind, word := range parts {
			if word == "" || kind == partRun && len(l.words) > 1 {
				continue
			}
			if color {
				word = l.paint[run][kind].on(word)
			}
			words = append(words, word)
		}
		text := strings.Join(words, gap)
		if len(l.words) > 1 && parts[partRun] != "" {
			text = parts[partRun] + ": " + text
		}
		if text != "" {
			runs = append(runs, text)
		}
	}
	return strings.Join(runs, between) + l.bar
}

// the width of the bar, within the room that is left
const (
	leastBar = 10
	mostBar  = 60
)

// ahead returns the share of the work that a streaming run has received, or done in its present
// stage.
func ahead(r progress.Reading) (share float64) {
	if in := r.Receiving; in != nil && in.Share != nil {
		share = *in.Share
	}
	if r.Stage != nil && r.Stage.Share != nil {
		share = max(share, *r.Stage.Share)
	}
	return share
}

// barOf draws a bar of columns columns: share as =, and the rest up to ahead as -.
func barOf(share, ahead float64, columns int) string {
	inside := columns - len("[]")
	full := int(share * float64(inside))
	text := strings.Repeat("=", full)
	if full < inside && full > 0 {
		text = text[1:] + ">"
	}
	if more := int(ahead*float64(inside)) - full; more > 0 {
		text += strings.Repeat("-", more)
	}
	return "[" + text + strings.Repeat(" ", inside-len(text)) + "]"
}
