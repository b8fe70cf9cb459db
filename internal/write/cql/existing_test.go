package cql_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

func TestRowsThatExistAreCounted(t *testing.T) {
	job, c, rejects := loadtest.NewJob(tabletest.Names, "k,v\na,b\nc,d\ne,f\n")
	job.CQL.Limits.MaxRows = 1
	c.Answer = func(_ context.Context, r loadtest.Request) (bool, error) {
		if string(r.Rows[0].Cells[0].Bytes) == "c" {
			return false, fault.New(fault.NotApplied, errors.New("there already"))
		}
		return true, nil
	}
	result := loadtest.MustRun(t, job, c)
	require.EqualValues(t, 1, result.Existing)
	require.EqualValues(t, 2, result.Written)
	require.Len(t, rejects.Rejects, 1, "it is kept")
	kept := rejects.Rejects[0]
	require.Equal(t, "c,d\n", string(kept.Raw))
	require.Equal(t, ingest.NotApplied, kept.Stage)
	require.Zero(t, result.Rejected(), "it is no error")
}

// A batch that never gets an answer while others do is taken apart: the row that
// the cluster cannot do is rejected alone.
func TestARowThatAlwaysTimesOutIsRejectedAlone(t *testing.T) {
	text := "k,c,id,v\n"
	for i := range 60 {
		text += string(rune('0'+i%10)) + ",1," + string(rune('0'+i%10)) + ",x\n"
	}
	job, c, rejects := loadtest.NewJob(tabletest.Events, text)
	job.ChunkSize = 40
	c.Answer = func(_ context.Context, r loadtest.Request) (bool, error) {
		for _, id := range r.IDs {
			if id == 3 {
				return false, loadtest.Failure(fault.Unknown, "no answer")
			}
		}
		return true, nil
	}
	result := loadtest.MustRun(t, job, c)
	require.EqualValues(t, 6, result.Rejected())
	for _, r := range rejects.Rejects {
		require.Contains(t, string(r.Raw), ",1,3,")
	}
}

type there struct{ same bool }

func (there) Error() string { return "there already" }

func (t there) Same() bool { return t.same }

// A row that an attempt without an answer wrote is not one that was there before.
func TestOwnRowIsNotAnExistingOne(t *testing.T) {
	job, c, _ := loadtest.NewJob(tabletest.Names, "k,v\na,b\nc,d\ne,f\n")
	job.CQL.Limits.MaxRows = 1
	seen := map[string]int{}
	var mu sync.Mutex
	c.Answer = func(_ context.Context, r loadtest.Request) (bool, error) {
		mu.Lock()
		defer mu.Unlock()
		k := string(r.Rows[0].Cells[0].Bytes)
		seen[k]++
		switch {
		case k == "a" && seen[k] == 1:
			return true, loadtest.Failure(fault.Unknown, "no answer")
		case k == "a":
			return false, fault.New(fault.NotApplied, there{same: true})
		case k == "c":
			return false, fault.New(fault.NotApplied, there{same: true})
		}
		return true, nil
	}
	result := loadtest.MustRun(t, job, c)
	require.EqualValues(t, 1, result.Existing)
	require.EqualValues(t, 2, result.Written)
}
