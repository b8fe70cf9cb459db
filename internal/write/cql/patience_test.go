package cql_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
)

// slowly is an input that gives one text after the other, and pauses in between.
type slowly struct {
	texts []string
	pause time.Duration
	stop  <-chan struct{} // ends a pause
	begun bool
}

func (s *slowly) Read(p []byte) (int, error) {
	if len(s.texts) == 0 {
		return 0, io.EOF
	}
	if s.begun {
		select {
		case <-time.After(s.pause):
		case <-s.stop:
		}
	}
	s.begun = true
	n := copy(p, s.texts[0])
	s.texts = s.texts[1:]
	return n, nil
}

func (s *slowly) Close() error { return nil }

// An input that has nothing to give for long is no cluster that does not answer.
func TestAnIdleInputIsNoSilenceOfTheCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job, c, rejects := loadtest.NewJob(tabletest.Hits)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		in := &slowly{
			texts: []string{"id,n\n", "1,1\n", "2,1\n", "3,1\n", "4,1\n"},
			pause: 10 * time.Minute,
			stop:  ctx.Done(),
		}
		job.Inputs = []ingest.Input{
			{Name: "pipe", Open: func() (io.ReadCloser, error) { return in, nil }},
		}
		job.ChunkSize, job.CQL.Patience = 4, time.Minute
		c.Answer = func(_ context.Context, r loadtest.Request) (bool, error) {
			if r.IDs[0] == 4 {
				return true, nil
			}
			return false, fault.New(fault.Unknown, errors.New("connection closed"))
		}
		result := loadtest.MustRun(t, job, c)
		require.Equal(
			t,
			load.Result{
				Tally: ingest.Tally{Read: 4, Written: 1, InDoubt: 3},
				Stats: cql.Stats{Batches: 1},
			},
			loadtest.Counts(result),
		)
		require.Len(t, rejects.Rejects, 3)
	})
}

// Whatever is sent keeps to the rates: attempts after the first, and rows that are sent
// one by one, too.
func TestRetriesAndSingleRowsKeepToTheRates(t *testing.T) {
	const perSecond = 10
	for _, limit := range []string{"rows", "bytes"} {
		for _, class := range []fault.Class{fault.Transient, fault.Permanent} {
			t.Run(limit+", "+class.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					job, c, _ := loadtest.NewJob(tabletest.Events, loadtest.Numbered("k,c,id", 40))
					job.CQL.MinBatch, job.CQL.Patience = 1, time.Second
					begin, sent, ahead := time.Now(), 0, 0.0
					c.Answer = func(_ context.Context, r loadtest.Request) (bool, error) {
						c.Mu.Lock()
						defer c.Mu.Unlock()
						for _, one := range r.Rows {
							if limit == "rows" {
								sent++
							} else {
								sent += one.Size()
							}
						}
						ahead = max(ahead, float64(sent)-perSecond*time.Since(begin).Seconds())
						if c.Requests%3 != 0 {
							return false, loadtest.Failure(class, "refused")
						}
						return true, nil
					}
					if limit == "rows" {
						job.CQL.Rate = pace.NewLimiter(perSecond)
					} else {
						job.CQL.ByteRate = pace.NewLimiter(perSecond)
					}
					loadtest.MustRun(t, job, c)
					require.Greater(t, c.Requests, 10)
					require.LessOrEqual(t, ahead, perSecond/4+1.0, "from the first row on")
					require.GreaterOrEqual(
						t,
						time.Since(begin),
						time.Duration(sent-perSecond)*time.Second/perSecond,
						"%d %s",
						sent,
						limit,
					)
				})
			})
		}
	}
}

// A rate that lets a row pass every few minutes is no silence of the cluster.
func TestAWaitForTheRateIsNoSilenceOfTheCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job, c, _ := loadtest.NewJob(tabletest.Hits, loadtest.Numbered("id,n", 3))
		job.CQL.Rate, job.CQL.Patience = pace.NewLimiter(1.0/600), time.Minute
		c.Answer = func(context.Context, loadtest.Request) (bool, error) {
			if c.Requests < 4 {
				return false, fault.New(fault.Transient, errors.New("no connection"))
			}
			return true, nil
		}
		require.EqualValues(t, 3, loadtest.MustRun(t, job, c).Written)
	})
}
