package web

import (
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
)

// tile is one of the large figures below the verdict.
type tile struct {
	Name   string
	Figure string // by which tests and scripts find it
	Value  string
	Notes  []string
}

// tilesOf returns the large figures of a run: its rows, its rate and its time. A figure that does
// not apply is left out.
func tilesOf(s board.State) []tile {
	all := []tile{rowsTile(s)}
	if rate := rateTile(s); rate.Value != "" {
		all = append(all, rate)
	}
	time := tile{Name: "time", Figure: "time", Value: seconds(s.Elapsed)}
	if s.EarlierSeconds > 0 {
		time.Notes = append(time.Notes, seconds(s.EarlierSeconds)+" more by an earlier run")
	}
	if end := expectedEnd(s); end != nil {
		time.Notes = append(time.Notes, "expected to end at "+end.UTC().Format("15:04:05")+" UTC")
	} else if left := stageLeft(s); left != "" {
		time.Notes = append(time.Notes, "about "+left)
	}
	return append(all, time)
}

// rowsTile returns the rows of a run. By streaming, the first rows of a load are in the table late,
// and those of a scan come at the end of a partition. Until then the tile shows rows that were
// read.
func rowsTile(s board.State) tile {
	if onlyRead(s) {
		return tile{
			Name:   "rows read",
			Figure: "ready",
			Value:  human.Count(s.Ready),
			Notes:  []string{notYet(s)},
		}
	}
	t := tile{Name: "rows " + deed(s), Figure: "rows", Value: human.Count(s.Rows)}
	if s.EarlierRows > 0 {
		t.Notes = append(t.Notes, human.Count(s.EarlierRows)+" by an earlier run")
	}
	if s.Ready > 0 && !s.Phase.Over() {
		t.Notes = append(t.Notes, human.Count(s.Ready)+" more are read")
	}
	if s.Bytes >= leastText {
		t.Notes = append(t.Notes, human.Size(s.Bytes)+" of text")
	}
	return t
}

// notYet says why no row that was read counts yet.
func notYet(s board.State) string {
	if s.Command == "scan" {
		return "none of their partitions is read to its end yet"
	}
	return "none is in the table yet"
}

// leastText is the number of bytes of text from which their size, or their rate, is shown.
const leastText = 1024

// stageDeeds are what stages have done.
var stageDeeds = map[string]string{
	progress.StageReading: "read",
	progress.StageSorting: "sorted",
	progress.StageMaking:  "made",
	progress.StageSending: "sent",
	progress.StageWriting: "written",
	"receiving":           "received",
}

// stageName returns what a stage does.
func stageName(s board.Stage) string {
	if s.Waiting && s.Name != progress.StageMaking {
		return "waiting for the nodes"
	}
	return progress.StageTitle(s.Name)
}

// rateTile returns the rate of what moves now. Its Value is empty if that is not known.
func rateTile(s board.State) tile {
	t := tile{Name: "rows per second", Figure: "rate"}
	for _, stage := range s.Stages {
		switch {
		case stage.Rows:
			t.Name = "rows read per second"
		case stage.Name == "receiving" && s.RowsPerSecond >= 1:
		default:
			if stage.PerSecond >= 1 {
				t.Name, t.Value = stageDeeds[stage.Name]+" per second", speed(stage.PerSecond)
			}
			return t
		}
	}
	if s.RowsPerSecond < 1 && s.Phase.Over() {
		return t
	}
	t.Value = human.Count(int64(s.RowsPerSecond))
	if s.BytesPerSecond >= leastText {
		t.Notes = append(t.Notes, speed(s.BytesPerSecond)+" of text")
	}
	return t
}

func speed(bytes float64) string { return human.Size(int64(bytes)) + "/s" }
