package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

// numberedObjects returns objects with keys of their own, one in ten with a value that is bad.
func numberedObjects(n int) []string {
	all := make([]string, n)
	for i := range all {
		value := fmt.Sprint(i)
		if i%10 == 3 {
			value = `"x"`
		}
		all[i] = fmt.Sprintf("{\n  \"k\": \"k%d\",\n  \"n\": %s\n}", i, value)
	}
	return all
}

// An array is the same rows and rejects as its elements on a line each, and has the same checksum.
func TestArrayIsItsElements(t *testing.T) {
	all := numberedObjects(100)
	run := func(text string, chunk int) (ingest.Tally, *loadtest.Recorder) {
		job, c, rejects := loadtest.NewJob(tabletest.Names, text)
		job.Format, job.ChunkSize = format.JSON{}, chunk
		return loadtest.MustRun(t, job, c).Tally, rejects
	}
	var flat []string
	for _, object := range all {
		flat = append(flat, strings.ReplaceAll(object, "\n", " "))
	}
	want, lines := run(strings.Join(flat, "\n"), 1<<20)
	require.EqualValues(t, 90, want.Written)
	for _, between := range []string{",", " ,\n\t", ",\r\n  "} {
		for _, chunk := range []int{64, 100, 1 << 10, 1 << 20} {
			got, rejects := run("[\n"+strings.Join(all, between)+"\n]\n", chunk)
			require.Equal(t, want, got)
			for i, r := range rejects.Sorted() {
				require.Equal(t, lines.Sorted()[i].Reason, r.Reason)
				require.Equal(t, all[10*i+3], string(r.Raw))
				require.Equal(t, 8, r.Field)
			}
		}
	}
}

// A load that is resumed passes over the elements that are completed, wherever they were cut.
func TestArrayIsResumed(t *testing.T) {
	text := "[" + strings.Join(numberedObjects(50), ", ") + ", 7] and more"
	for _, chunk := range []int{64, 200, 1 << 20} {
		job, c, rejects := loadtest.NewJob(tabletest.Names, text)
		job.Format, job.ChunkSize = format.JSON{}, chunk
		journal := loadtest.NewPieceJournal(rejects)
		job.Journal = journal
		loadtest.MustRun(t, job, c)
		require.Len(t, rejects.Rejects, 7)
		for _, p := range journal.Pieces {
			require.Zero(t, p.Line, "reading cannot resume there")
		}
		again, c, rejects := loadtest.NewJob(tabletest.Names, text)
		again.Format, again.ChunkSize, again.Journal = format.JSON{}, chunk, journal
		journal.Standing[firstOf(journal.Pieces)] = ingest.PieceBegun
		journal.ForgetfulJournal = loadtest.ForgetfulJournal{Rejects: rejects}
		result := loadtest.MustRun(t, again, c)
		require.Positive(t, result.Read)
		if chunk < 1<<20 {
			require.Less(t, result.Read, int64(10))
		}
	}
}

// firstOf returns the least offset of some pieces.
func firstOf(pieces map[int64]ingest.Piece) (least int64) {
	for least = range pieces {
		break
	}
	for offset := range pieces {
		least = min(least, offset)
	}
	return least
}
