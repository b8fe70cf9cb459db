package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/spread"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

// filed makes the inputs of a job plain files, and counts how often each is opened and how
// many are open at once.
func filed(job *load.Job) (opened []int, most *int) {
	opened, most = make([]int, len(job.Inputs)), new(int)
	now, mu := 0, new(sync.Mutex)
	for i := range job.Inputs {
		open := job.Inputs[i].Open
		job.Inputs[i].Plain = true
		job.Inputs[i].Open = func() (io.ReadCloser, error) {
			mu.Lock()
			opened[i]++
			now++
			*most = max(*most, now)
			mu.Unlock()
			in, err := open()
			return leaving{in, mu, &now}, err
		}
	}
	return opened, most
}

// leaving is an input that counts when it is closed.
type leaving struct {
	io.Reader
	mu   *sync.Mutex
	open *int
}

func (l leaving) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	*l.open--
	return nil
}

// A header that does not fit is found before the first row is written, and all of them are named.
// An input that can be opened only once is not checked.
func TestHeadersAreCheckedFirst(t *testing.T) {
	job, c, _ := loadtest.NewJob(
		tabletest.Names,
		"k,v\none,first\n",
		"k,w\ntwo,second\n",
		"",
		"K,n\nthree,3\n",
		"k,\"v\nfour,4\n",
		"k,x\nfive,5\n",
	)
	opened, most := filed(job)
	job.Inputs[5].Plain = false // a pipe
	_, err := job.Run(t.Context())
	require.EqualError(
		t,
		err,
		`file2.csv: header: table demo.names has no column "w" (--map w=COLUMN says which column it is, --skipcols w leaves out what is no column)`+
			"\nfile5.csv: header: line 1, column 3: quote is never closed",
	)
	var mapping *ingest.MappingError
	require.ErrorAs(t, err, &mapping)
	require.Zero(t, c.Requests)
	require.Equal(
		t,
		[]int{1, 2, 1, 1, 2, 0},
		opened,
		"a hint reads the first text of a file whose header does not fit",
	)
	require.Equal(t, 2, *most, "one at a time, and its first text")
}

// A load of a hundred thousand files with a mistake in all of them says so of a few.
func TestManyBadHeaders(t *testing.T) {
	texts := make([]string, 300)
	for i := range texts {
		texts[i] = "k,w\na,b\n"
	}
	job, c, _ := loadtest.NewJob(tabletest.Names, texts...)
	_, most := filed(job)
	_, err := job.Run(t.Context())
	require.LessOrEqual(t, *most, 2*spread.Workers, "those that are checked, and their first texts")
	require.Equal(t, 11, strings.Count(err.Error(), "\n")+1)
	require.ErrorContains(t, err, fmt.Sprintf("\nand %d more inputs that cannot be loaded", 290))
	require.Zero(t, c.Requests)
}

func TestGoodHeadersCostOneOpening(t *testing.T) {
	job, c, _ := loadtest.NewJob(tabletest.Names, "k,v\na,1\n", "v,k\n2,b\n", "\n\n", "n,k\n3,c\n")
	opened, _ := filed(job)
	require.EqualValues(t, 3, loadtest.MustRun(t, job, c).Written)
	require.Equal(t, []int{2, 2, 2, 2}, opened)

	job, c, _ = loadtest.NewJob(tabletest.Names, "k,v\na,1\n")
	opened, _ = filed(job)
	loadtest.MustRun(t, job, c)
	require.Equal(t, []int{1}, opened, "the only one is checked when it is read")

	job, c, _ = loadtest.NewJob(tabletest.Names, "a,1,1\n", "b,2,2\n")
	job.Header = false
	opened, _ = filed(job)
	loadtest.MustRun(t, job, c)
	require.Equal(t, []int{1, 1}, opened, "without a header there is nothing to check")
}

// The check ends with the run, and says what cannot be read.
func TestHeadersThatCannotBeChecked(t *testing.T) {
	broken := errors.New("device error")
	job, c, _ := loadtest.NewJob(tabletest.Names, "k,v\na,1\n", "k,v\nb,2\n")
	filed(job)
	job.Inputs[1].Open = func() (io.ReadCloser, error) { return nil, broken }
	_, err := job.Run(t.Context())
	require.ErrorIs(t, err, broken)
	require.Zero(t, c.Requests)

	ctx, cancel := context.WithCancel(t.Context())
	job, c, _ = loadtest.NewJob(tabletest.Names, "k,v\na,1\n", "k,v\nb,2\n")
	filed(job)
	job.Inputs[0].Open = func() (io.ReadCloser, error) { cancel(); return nil, broken }
	_, err = job.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, c.Requests)
}
