package records

import (
	"context"
	"encoding/binary"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/zeebo/xxh3"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// written is a writer that notes the text v of each row by its key, "null" where there is none,
// and the row's timestamp.
type written struct {
	mu     sync.Mutex
	texts  map[int32]string
	stamps map[int32]int64
	v      int // which cell that is
}

func (*written) Idempotent() bool { return true }

func (w *written) Write(_ context.Context, _ string, rows []row.Row) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range rows {
		k, text := int32(binary.BigEndian.Uint32(r.Cells[0].Bytes)), "null"
		if v := r.Cells[w.v]; v.State == row.Set {
			text = string(v.Bytes)
		}
		if was, ok := w.texts[k]; ok && was != text {
			text = was + " and " + text
		}
		w.texts[k], w.stamps[k] = text, r.Timestamp
	}
	return nil
}

var threeColumns = schema.New("ks", "t", []schema.Column{
	{Name: "k", Kind: schema.PartitionKey, Type: &cqltype.Type{Kind: cqltype.Int}},
	{Name: "n", Kind: schema.Regular, Type: &cqltype.Type{Kind: cqltype.Int}},
	{Name: "v", Kind: schema.Regular, Type: &cqltype.Type{Kind: cqltype.Text}},
})

const (
	rereadHeader = "k,n,v\n"
	rereadFirst  = "1,5,NA\n2,NA,b\n3,-,-\n"
	rereadSecond = "4,7,NA\n5,-,NA\n6,x,y\n"
)

// rereadPiece is a piece as a run began it.
func rereadPiece(offset int, text string, stamp int64) ingest.Piece {
	return ingest.Piece{
		Offset: int64(
			len(rereadHeader) + offset,
		),
		Bytes: len(text),
		Count: 3,
		Line:  int64(2 + strings.Count(rereadFirst[:offset], "\n")),
		Hash:  xxh3.HashStringSeed(text, xxh3.HashString(rereadHeader)),
		Stamp: stamp,
	}
}

// Rows of pieces that were under way may have been written by an earlier run. Each is read by the
// first settings of a run that made it a row. All else is read by the settings of now.
func TestRowsUnderWayKeepTheirReading(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	open := func() *Load {
		l, err := OpenLoad(dir)
		require.NoError(t, err)
		require.NoError(t, l.Resume(func(reject.State) error { return nil }))
		return l
	}
	l, err := NewLoad(dir, journal.Manifest{Command: "load"})
	require.NoError(t, err)
	require.NoError(t, l.Begin(rereadPiece(0, rereadFirst, 1000)))
	require.NoError(t, l.Abandon())
	l = open()
	require.NoError(t, l.Reread(Changed{"null-string": {"NA"}}))
	require.NoError(t, l.Begin(rereadPiece(len(rereadFirst), rereadSecond, 2000)))
	require.NoError(t, l.Abandon())
	l = open()
	require.Equal(t, []Changed{{"null-string": {"NA"}}}, l.Loaded().Readings)
	for offset, want := range map[int]int{0: 0, len(rereadFirst): 1} {
		piece, state := l.EarlierPiece(0, int64(len(rereadHeader)+offset))
		require.Equal(t, ingest.PieceBegun, state)
		require.Equal(t, want, piece.Reading)
	}
	require.NoError(t, l.Reread(Changed{"null-string": {"NA", "-"}}))

	rejects := reject.New(dir, ".csv")
	l.Use(rejects, false)
	w := &written{texts: map[int32]string{}, stamps: map[int32]int64{}, v: 2}
	job := &load.Job{
		Job: ingest.Job{
			Table:   threeColumns,
			Format:  format.CSV,
			Header:  true,
			Journal: l,
			Rejects: rejects,
			Reading: ingest.Reading{
				Nulls: []string{"NA", "-"},
			},
			Former: []ingest.Reading{{}, {Nulls: []string{"NA"}}},
			Router: write.NewRouter(
				nil,
				nil,
				nil,
			),
			Counters:       &progress.Counters{},
			ChunkSize:      len(rereadFirst),
			MaxParseErrors: -1,
			Inputs: []ingest.Input{{Name: "f", Open: func() (io.ReadCloser, error) {
				return io.NopCloser(
					strings.NewReader(rereadHeader + rereadFirst + rereadSecond + "7,8,-\n"),
				), nil
			}}},
			Limits: ingest.Limits{MaxMutationBytes: 5000},
		},
		CQL: cql.Options{
			NewWriter: func([]schema.Column) cql.Writer { return w },
			Limits:    cql.Limits{MaxRows: 10, Partitions: 10, Bytes: 5000, PartitionBytes: 5000},
		},
	}
	result, err := job.Run(t.Context())
	require.NoError(t, err)
	require.NoError(t, rejects.Close())
	require.NoError(t, l.Abandon())
	require.Equal(
		t,
		map[int32]string{1: "NA", 2: "b", 3: "null", 4: "null", 5: "null", 7: "null"},
		w.texts,
	)
	require.EqualValues(t, 6, result.Written)
	require.EqualValues(t, 1, result.ParseErrors)
	for k, stamp := range map[int32]int64{1: 1000, 2: 1001, 3: 1002, 4: 2000, 5: 2001} {
		require.Equal(t, stamp, w.stamps[k], "%d", k)
	}
}

// By another mapping the rows of one piece may have other columns.
func TestRowsUnderWayKeepTheirColumns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	l, err := NewLoad(dir, journal.Manifest{Command: "load"})
	require.NoError(t, err)
	text := "1,5,a\n2,x,b\n3,6,c\n"
	require.NoError(t, l.Begin(rereadPiece(0, text, 1000)))
	require.NoError(t, l.Abandon())
	l, err = OpenLoad(dir)
	require.NoError(t, err)
	require.NoError(t, l.Resume(func(reject.State) error { return nil }))
	require.NoError(t, l.Reread(Changed{"skipcols": {"n"}}))
	rejects := reject.New(dir, ".csv")
	l.Use(rejects, false)
	byColumns := map[int]*written{2: {v: 1}, 3: {v: 2}}
	for _, w := range byColumns {
		w.texts, w.stamps = map[int32]string{}, map[int32]int64{}
	}
	job := &load.Job{
		Job: ingest.Job{
			Table:   threeColumns,
			Format:  format.CSV,
			Header:  true,
			Journal: l,
			Rejects: rejects,
			Reading: ingest.Reading{Fields: ingest.Fields{Skipped: []string{"n"}}},
			// The second does not fit this input: a run that read so stopped before it.
			Former: []ingest.Reading{{}, {Fields: ingest.Fields{Skipped: []string{"other"}}}},
			Router: write.NewRouter(
				nil,
				nil,
				nil,
			),
			Counters:  &progress.Counters{},
			ChunkSize: len(text),
			Inputs: []ingest.Input{{Name: "f", Open: func() (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(rereadHeader + text + "4,7,d\n")), nil
			}}},
			Limits: ingest.Limits{MaxMutationBytes: 5000},
		},
		CQL: cql.Options{
			NewWriter: func(c []schema.Column) cql.Writer { return byColumns[len(c)] },
			Limits:    cql.Limits{MaxRows: 10, Partitions: 10, Bytes: 5000, PartitionBytes: 5000},
		},
	}
	result, err := job.Run(t.Context())
	require.NoError(t, err)
	require.NoError(t, rejects.Close())
	require.NoError(t, l.Abandon())
	require.EqualValues(t, 4, result.Written)
	require.Equal(t, map[int32]string{1: "a", 3: "c"}, byColumns[3].texts)
	require.Equal(t, map[int32]string{2: "b", 4: "d"}, byColumns[2].texts)
}

// A journal does not take changes without end.
func TestReadingsHaveAnEnd(t *testing.T) {
	l := &Loaded{}
	for range maxReadings {
		require.NoError(
			t,
			l.apply(
				journal.Record{Kind: kindReading, Payload: []byte(`{"settings":{"map":["a=b"]}}`)},
			),
		)
	}
	require.EqualError(
		t,
		l.apply(journal.Record{Seq: 7, Kind: kindReading, Payload: []byte(`{}`)}),
		"record 7: more than 1000 changes of how text is read",
	)
}
