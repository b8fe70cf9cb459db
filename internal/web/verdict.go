package web

import (
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
)

// deeds are what runs do to rows, by their work.
var deeds = map[string]string{
	"scan":  "read",
	"load":  "loaded",
	"count": "counted",
	"clone": "cloned",
}

// deed returns what a run does to rows.
func deed(s board.State) string {
	word := deeds[s.About.Work]
	if word == "" {
		word = deeds[s.Command]
	}
	switch {
	case word == "":
		return "done"
	case s.About.DryRun:
		return "checked"
	default:
		return word
	}
}

// verdict returns one or two plain sentences on how a run stands, or how it ended.
func verdict(s board.State) string {
	rows := human.Of(s.Rows, "row") + " " + deed(s)
	if onlyRead(s) {
		rows = human.Of(s.Ready, "row") + " read, none " + deed(s)
	}
	if s.EarlierRows > 0 && s.EarlierSeconds == 0 {
		rows += " (" + human.Count(
			s.EarlierRows,
		) + " of them by an earlier run, whose time is not known)"
	}
	// the rows are of all processes
	after := human.Elapsed(time.Duration((s.EarlierSeconds + s.Elapsed) * float64(time.Second)))
	switch s.Phase {
	case board.Connecting:
		return "Connecting to the cluster."
	case board.Running:
		return running(s)
	case board.Done:
		if s.About.DryRun {
			return "Dry run done: " + rows + " in " + after + ", nothing was written."
		}
		return "Done: " + rows + " in " + after + "." + missed(s)
	case board.Partly:
		return "Done, but not for all: " + rows + " in " + after + "; " + losses(
			s,
		) + "." + missed(
			s,
		)
	case board.Interrupted:
		return "Interrupted after " + after + reached(s) + ": " + rows + "." + missed(s) + advice(s)
	case board.Failed:
		if s.Table == "" {
			return "Failed before any row was " + deed(s) + "."
		}
		return "Failed after " + after + reached(s) + ": " + rows + "." + missed(s) + advice(s)
	}
	return string(s.Phase)
}

func running(s board.State) string {
	text := "Running"
	if s.About.DryRun {
		text = "Dry run, nothing is written"
	}
	if s.Share != nil {
		text += ": " + so(s)
		if s.Left != nil {
			text += ", about " + roughly(*s.Left) + " left"
		} else if left := stageLeft(s); left != "" {
			text += ", about " + left
		}
	}
	text += "."
	if s.RejectedRows > 0 || s.FailedRanges > 0 {
		text += " So far " + losses(s) + "."
	}
	if above(s) {
		text += " The cluster is slower than the target."
	}
	return text
}

func roughly(seconds float64) string {
	return human.Roughly(time.Duration(seconds * float64(time.Second)))
}

// so returns how much of the work is done so far.
func so(s board.State) string {
	if stage := staged(s); stage != "" {
		return stage + ", " + percent(*s.Share) + " " + deed(s)
	}
	return percent(*s.Share) + " done"
}

// staged returns how much a stage has done that comes before the rows count as done; empty if there
// is none.
func staged(s board.State) string {
	for _, stage := range s.Stages {
		if stage.Share != nil && stage.Name != progress.StageSending &&
			stage.Name != progress.StageWriting {
			return percent(*stage.Share) + " " + stageDeeds[stage.Name]
		}
	}
	return ""
}

// stageLeft returns how long the present stage takes yet; empty where there is no guess.
func stageLeft(s board.State) string {
	for _, stage := range s.Stages {
		if stage.Left != nil {
			return roughly(*stage.Left) + " until all is " + stageDeeds[stage.Name]
		}
	}
	return ""
}

// unfinished returns the part of the work that is done, 0 to 1. It is nil if the part is not known,
// if only what failed remains, or if the run has to read its rows again.
func unfinished(s board.State) *float64 {
	if s.Phase == board.Done || s.Phase == board.Partly || s.Phase.Over() && onlyRead(s) {
		return nil
	}
	return s.Share
}

// above reports whether the small reads of now, or of any second of a run that is over, are above
// the target.
func above(s board.State) bool {
	if s.Phase.Over() && s.HeldSeconds > 0 {
		return s.HeldAbove > 0
	}
	return s.TargetP99 > 0 && s.HeldP99 > s.TargetP99
}

// missed returns a sentence on how the target was missed in a run that is over; empty if it was
// held.
func missed(s board.State) string {
	if s.HeldAbove == 0 {
		return ""
	}
	return " Small reads of others were above the target in " + human.Count(
		int64(s.HeldAbove),
	) + " of " + human.Of(
		s.HeldSeconds,
		"second",
	) + "."
}

// losses returns what a run did not do.
func losses(s board.State) string {
	var all []string
	if s.RejectedRows > 0 {
		all = append(
			all,
			human.Of(
				s.RejectedRows,
				"row",
			)+" "+human.Verb(
				s.RejectedRows,
				"was",
				"were",
			)+" rejected",
		)
	}
	if s.FailedRanges > 0 {
		all = append(all, human.Of(s.FailedRanges, "token range")+" failed")
	}
	if all == nil {
		return "some of the work failed, as the log says"
	}
	return strings.Join(all, " and ")
}

// reached returns how far a run came that stopped.
func reached(s board.State) string {
	share := unfinished(s)
	if share == nil {
		return ""
	}
	return " at " + percent(*share)
}

// onlyRead reports whether rows were read, and none of them is in the table yet. Rows of a load by
// streaming are not there before they are sent.
func onlyRead(s board.State) bool { return s.Rows == 0 && s.Ready > 0 }

func advice(s board.State) string {
	if s.Next == "" {
		return ""
	}
	return " The command below resumes it."
}

// held returns how the target p99 is held now, or was in a run that is over; empty without a
// target.
func held(s board.State) string {
	target := latency(s.TargetP99)
	switch {
	case s.TargetP99 == 0:
		return ""
	case s.Phase.Over() && s.HeldSeconds > 0:
		if above(s) {
			return "ABOVE target " + target + " in " + human.Count(
				int64(s.HeldAbove),
			) + " of " + human.Of(
				s.HeldSeconds,
				"second",
			)
		}
		return "within target " + target + " in all of " + human.Of(s.HeldSeconds, "second")
	case s.HeldP99 == 0:
		return "not measured yet, target " + target
	case above(s):
		return "p99 " + latency(s.HeldP99) + " ABOVE target " + target
	default:
		return "p99 " + latency(s.HeldP99) + " within target " + target
	}
}

// ended returns when a run ended; nil while it goes, or if its start is not known.
func ended(s board.State) *time.Time {
	if !s.Phase.Over() || s.Began.IsZero() {
		return nil
	}
	end := s.Began.Add(time.Duration(s.Elapsed * float64(time.Second)))
	return &end
}

// expectedEnd returns when a run ends at its pace of now; nil if that is unknown or past.
func expectedEnd(s board.State) *time.Time {
	if s.Left == nil || s.Phase.Over() {
		return nil
	}
	end := s.Began.Add(time.Duration((s.Elapsed + *s.Left) * float64(time.Second)))
	return &end
}
