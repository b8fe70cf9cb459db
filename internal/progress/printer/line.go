package printer

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cqlbulk/cqlbulk/internal/amount"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/safetext"
)

// part is a part of the line, as it is where there is room, and as it is where there is
// little. Both are empty where there is nothing to be said.
type part struct{ long, brief string }

// The parts stand in the order of what matters: where there is no room for all, the last
// ones are left out.
const (
	partRejected = iota
	partFailed
	partRetries
	partTrouble
	partShare
	partReceiving
	partStage
	partRows
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

// partsOf says a reading in words.
func partsOf(r progress.Reading) (parts [partKinds]part) {
	parts[partRejected] = losses(r.Rejected, "rejected", "rej")
	parts[partFailed] = losses(r.Failed, amount.Noun(r.Failed, "range")+" failed", "failed")
	parts[partRetries] = losses(r.Retries, amount.Noun(r.Retries, "retry"), "retr")
	if r.Trouble != "" {
		reason := safetext.Line(r.Trouble)
		brief, cut := []rune(reason), "…"
		if len(brief) <= briefTrouble {
			cut = ""
		}
		parts[partTrouble] = part{
			"nothing succeeds: " + reason,
			"nothing succeeds: " + string(brief[:min(len(brief), briefTrouble)]) + cut,
		}
	}
	if r.Share != nil {
		parts[partShare] = part{fmt.Sprintf("%.2f%%", 100**r.Share), fmt.Sprintf("%.0f%%", math.Floor(100**r.Share))}
	}
	parts[partRows] = part{amount.Of(r.Rows, "row"), amount.Briefly(r.Rows) + " " + amount.Noun(r.Rows, "row")}
	if r.Earlier > 0 {
		parts[partRows].long += fmt.Sprintf(" (%s before)", amount.Count(r.Earlier))
	}
	if r.Ready > 0 && r.Stage == nil {
		parts[partRows].long += fmt.Sprintf(" and %s ready", amount.Count(r.Ready))
	}
	rate, bytes := int64(r.RowsPerSecond), int64(r.BytesPerSecond)
	parts[partRate] = part{amount.Count(rate) + " rows/s", amount.Briefly(rate) + "/s"}
	if bytes > 0 {
		parts[partBytes] = part{amount.Size(bytes) + "/s", strings.ReplaceAll(amount.Size(bytes), " ", "") + "/s"}
	}
	if r.Target > 0 {
		parts[partHeld] = heldPart(r)
	}
	if r.Limit > 0 || r.UnderWay > 0 {
		parts[partUnderWay] = part{amount.Count(r.UnderWay) + " under way", amount.Briefly(r.UnderWay) + " req"}
	}
	if r.P99 > 0 {
		parts[partLatency] = part{fmt.Sprintf("p50 %s p99 %s", seconds(r.P50), seconds(r.P99)), "p99 " + seconds(r.P99)}
	}
	if r.Left > 0 {
		left := time.Duration(r.Left*float64(time.Second)).Round(time.Second).String() + " left"
		parts[partLeft] = part{left, left}
	}
	sent, run := sentTo(r.Streams), safetext.Line(r.Run)
	parts[partSent], parts[partRun] = part{sent, sent}, part{run, run}
	addStage(&parts, r)
	return parts
}

// heldPart says how the target of the nodes' small reads is kept.
func heldPart(r progress.Reading) part {
	target := seconds(r.Target)
	switch {
	case r.Held == 0:
		return part{"target p99 " + target, "target " + target}
	case r.Held > r.Target:
		above := fmt.Sprintf("p99 %s ABOVE target %s", seconds(r.Held), target)
		return part{above, above}
	default:
		return part{fmt.Sprintf("p99 %s within target %s", seconds(r.Held), target), fmt.Sprintf("p99 %s/%s", seconds(r.Held), target)}
	}
}

// briefTrouble is the number of characters of a reason where there is little room.
const briefTrouble = 24

func losses(n int64, long, brief string) part {
	if n == 0 {
		return part{}
	}
	return part{amount.Count(n) + " " + long, amount.Briefly(n) + " " + brief}
}

func seconds(s float64) string { return amount.Latency(time.Duration(s * float64(time.Second))) }

// sentTo says in words what nodes were streamed: the least and the most of them, where that is not the same.
func sentTo(nodes []progress.Streamed) string {
	var most, sessions int64
	least := int64(math.MaxInt64)
	for _, n := range nodes {
		least, most, sessions = min(least, n.Bytes), max(most, n.Bytes), sessions+n.Sessions
	}
	if most == 0 {
		return ""
	}
	sizes := amount.Size(most)
	if s := amount.Size(least); s != sizes {
		sizes = s + " to " + sizes
	}
	to := amount.Of(len(nodes), "node")
	if len(nodes) > 1 {
		to = "each of " + to
	}
	return fmt.Sprintf("%s sent to %s, %s", sizes, to, amount.Of(sessions, "session"))
}

// Text is a reading as a line of its own, which nothing is left out of.
func Text(r progress.Reading) string {
	var words []string
	for kind, p := range partsOf(r) {
		if p.long != "" && kind != partRun {
			words = append(words, p.long)
		}
	}
	return r.Run + ": " + strings.Join(words, ", ")
}

// What stands between the parts of a run, and between the runs.
const (
	gap     = "  "
	between = " | "
)

// fit makes the live line of some runs for a terminal of that many columns. Whatever there
// is no room for is left out as a whole: brief forms come before none, and of several runs
// each has its share.
func fit(runs []progress.Reading, columns int) string {
	columns-- // in the last one some terminals begin a new line
	all := make([][partKinds]part, len(runs))
	line := make([][partKinds]string, len(runs))
	for i, r := range runs {
		all[i] = partsOf(r)
		if len(runs) > 1 { // whose numbers they are is told first
			all[i][partRun].brief, _, _ = strings.Cut(all[i][partRun].long, " ")
		}
	}
	try := func(run, kind int, text string) bool {
		before := line[run][kind]
		line[run][kind] = text
		if utf8.RuneCountInString(join(line)) <= columns {
			return true
		}
		line[run][kind] = before
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
		if len(runs) > 1 && line[run][partRun] == "" && !try(run, partRun, all[run][partRun].brief) {
			return false
		}
		return try(run, kind, all[run][kind].brief)
	})
	each(func(run, kind int) bool { return line[run][kind] == "" || try(run, kind, all[run][kind].long) || true })
	text := join(line)
	if len(runs) == 1 && runs[0].Share != nil && line[0][partRun] != "" {
		if room := min(columns-utf8.RuneCountInString(text)-1, mostBar); room >= leastBar {
			text += " " + barOf(*runs[0].Share, room)
		}
	}
	return text
}

// join puts the parts into one line: of one run its name comes last, of several first.
func join(line [][partKinds]string) string {
	var runs []string
	for _, parts := range line {
		var words []string
		for kind, word := range parts {
			if word != "" && (kind != partRun || len(line) == 1) {
				words = append(words, word)
			}
		}
		text := strings.Join(words, gap)
		if len(line) > 1 && parts[partRun] != "" {
			text = parts[partRun] + ": " + text
		}
		if text != "" {
			runs = append(runs, text)
		}
	}
	return strings.Join(runs, between)
}

// The bar takes the room that is left, in these bounds.
const (
	leastBar = 10
	mostBar  = 60
)

// barOf draws a share in so many columns.
func barOf(share float64, columns int) string {
	inside := columns - len("[]")
	full := int(share * float64(inside))
	text := strings.Repeat("=", full)
	if full < inside && full > 0 {
		text = text[1:] + ">"
	}
	return "[" + text + strings.Repeat(" ", inside-full) + "]"
}
