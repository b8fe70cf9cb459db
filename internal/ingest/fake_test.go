package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/write"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// basket is a target that takes rows, and rejects those whose v is "bad". A patient one releases
// rows at once and completes them in reverse order when it is finished.
type basket struct {
	patient  bool
	finished chan struct{}

	mu    sync.Mutex
	kept  []write.Row  // of a patient one, with bytes of their own but for Raw
	bad   map[int]bool // of those
	count int
}

func newBasket(patient bool) *basket {
	return &basket{patient: patient, finished: make(chan struct{}), bad: map[int]bool{}}
}

func (b *basket) Intake([]schema.Column) write.Intake { return b }
func (b *basket) PiecesHeld() int                     { return 0 }
func (b *basket) MemoryLow(bool)                      {}
func (b *basket) Finish()                             { close(b.finished) }
func (b *basket) Idempotent() bool                    { return true }

var errBad = errors.New("bad")

func (b *basket) PutGroup(ctx context.Context, rows []*write.Row) error { return b.Put(ctx, rows) }

func (b *basket) Put(_ context.Context, rows []*write.Row) error {
	b.mu.Lock()
	b.count += len(rows)
	b.mu.Unlock()
	for _, r := range rows {
		p := r.Tracker
		if bad := string(r.Cells[1].Bytes) == "bad"; b.patient {
			b.keep(r, bad)
		} else if err := settle(r, bad); err != nil {
			return err
		}
		p.Release(1)
	}
	return nil
}

func (b *basket) keep(r *write.Row, bad bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if bad {
		b.bad[len(b.kept)] = true
	}
	own := *r
	own.Raw = bytes.Clone(r.Raw)
	b.kept = append(b.kept, own)
}

func settle(r *write.Row, bad bool) error {
	if bad {
		return r.Tracker.Reject(r, write.Refused, errBad)
	}
	return r.Tracker.Written(1, r.Sum)
}

func (b *basket) Run(ctx context.Context) error {
	select {
	case <-b.finished:
	case <-ctx.Done():
		return ctx.Err()
	}
	for i := len(b.kept) - 1; i >= 0; i-- {
		if err := settle(&b.kept[i], b.bad[i]); err != nil {
			return err
		}
	}
	return nil
}

// book is a journal and a folder of rejects of one run.
type book struct {
	noJournal
	mu        sync.Mutex
	completed []Piece
	tally     Tally
	rejects   []Reject
}

func (b *book) Complete(p Piece, t Tally, rejects []Reject) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.completed = append(b.completed, p)
	b.tally.Add(t)
	return b.addLocked(rejects)
}

func (b *book) Add(rejects []Reject) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.addLocked(rejects)
}

func (b *book) addLocked(rejects []Reject) error {
	for _, r := range rejects {
		r.Raw = bytes.Clone(r.Raw)
		b.rejects = append(b.rejects, r)
	}
	return nil
}

func (b *book) AddPiece(Reject, bool, bool) error { return errors.New("no long ones") }

// newJob makes a job that gives the rows of a text to a basket.
func newJob(t *schema.Table, to *basket, text string) (*Job, *book) {
	b := &book{}
	return &Job{
		Table:  t,
		Format: format.CSV,
		Header: true,
		Router: write.NewRouter(nil, nil, nil),
		Target: to,
		Limits: Limits{
			MaxMutationBytes: 16 << 20,
		},
		Rejects:         b,
		Journal:         b,
		Counters:        &progress.Counters{},
		MaxParseErrors:  -1,
		MaxInsertErrors: -1,
		Inputs: []Input{
			{
				Name: "in.csv",
				Open: func() (io.ReadCloser, error) {
					return io.NopCloser(strings.NewReader(text)), nil
				},
			},
		},
	}, b
}

// lines returns an input of that many rows, some of them bad.
func lines(rows int) string {
	var s strings.Builder
	s.WriteString("k,v,n\n")
	for i := range rows {
		switch {
		case i%50 == 7:
			fmt.Fprintf(&s, "k%d,x,no number\n", i)
		case i%50 == 9:
			fmt.Fprintf(&s, "k%d,bad,%d\n", i, i)
		default:
			fmt.Fprintf(&s, "k%d,value %d,%d\n", i, i, i)
		}
	}
	return s.String()
}
