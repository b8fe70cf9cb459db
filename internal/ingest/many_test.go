package ingest

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// shelf holds small files, and counts how often each is opened.
type shelf struct {
	mu     sync.Mutex
	texts  []string
	opened []int
}

// job is a load of all the files.
func (s *shelf) job(b *basket) (*Job, *book) {
	j, k := newJob(tabletest.Names, b, "")
	j.Inputs = nil
	s.opened = make([]int, len(s.texts))
	for i, text := range s.texts {
		j.Inputs = append(j.Inputs, Input{Name: fmt.Sprint(i), Plain: true, Size: int64(len(text))})
	}
	j.OpenFile = func(name string) (io.ReadCloser, error) {
		var i int
		if _, err := fmt.Sscan(name, &i); err != nil {
			return nil, err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.opened[i]++
		return io.NopCloser(strings.NewReader(s.texts[i])), nil
	}
	return j, k
}

// smallTexts are texts with one row each.
func smallTexts(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("k,v,n\nkey%d,value,%d\n", i, i)
	}
	return texts
}

// Of many small files each is opened twice, and makes a piece of its own, in the order of the
// files.
func TestManySmallFiles(t *testing.T) {
	s := &shelf{texts: smallTexts(1000)}
	s.texts[500] = "k,v,n\nbad,value,x\n"
	s.texts[600] = ""
	s.texts[700] = "n,k\n7,other header\n"
	s.texts[800] = "k,v,n\n" + strings.Repeat("long,value,1\n", smallInput) // too large for a group
	b := newBasket(true)
	j, k := s.job(b)
	tally, err := j.Run(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 998+smallInput-1+1-1+1, tally.Read)
	require.EqualValues(t, 1, tally.ParseErrors)
	require.Len(t, k.rejects, 1)
	require.Equal(t, "500", k.rejects[0].File)
	require.EqualValues(t, 2, k.rejects[0].Line)
	for i, n := range s.opened {
		require.Equal(t, 2, n, "file %d: once for its header, and once for its rows", i)
	}
	seen := map[int]bool{}
	for _, p := range k.completed {
		seen[p.Input] = true
	}
	require.Len(t, seen, 999)
	stamp := map[int]int64{}
	for _, p := range k.completed {
		stamp[p.Input] = p.Stamp
	}
	for i := 1; i < 1000; i++ {
		if i != 600 && i != 601 {
			require.Greater(t, stamp[i], stamp[i-1], "file %d", i)
		}
	}
}

// An input that cannot be read ends the load with its name, whichever group it is in.
func TestManySmallFilesOneGone(t *testing.T) {
	s := &shelf{texts: smallTexts(200)}
	j, _ := s.job(newBasket(false))
	open, gone := j.OpenFile, errors.New("it is gone")
	j.OpenFile = func(name string) (io.ReadCloser, error) {
		in, err := open(name)
		s.mu.Lock()
		defer s.mu.Unlock()
		if name == "150" && s.opened[150] > 1 {
			return nil, gone
		}
		return in, err
	}
	_, err := j.Run(t.Context())
	require.ErrorIs(t, err, gone)
}

// A small file costs little memory: no window, no chunk and no plan of its own.
func TestSmallFilesCostLittle(t *testing.T) {
	const few, more = 500, 2500
	cost := func(files int) (objects, bytes uint64) {
		s := &shelf{texts: smallTexts(files)}
		j, _ := s.job(newBasket(false))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := j.Run(t.Context())
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
	}
	cost(few) // what is made once
	fewObjects, fewBytes := cost(few)
	objects, bytes := cost(more)
	objects, bytes = (objects-fewObjects)/(more-few), (bytes-fewBytes)/(more-few)
	t.Logf("%d objects and %d bytes a file", objects, bytes)
	require.Less(t, objects, uint64(80))
	// a window has 64 KiB; under the race detector pools lose some of what they are given
	require.Less(t, bytes, uint64(16<<10))
}

// A header that many files have is planned once, however many columns it has.
func TestHeaderIsPlannedOnce(t *testing.T) {
	columns := []schema.Column{
		{Name: "k", Kind: schema.PartitionKey, Type: &cqltype.Type{Kind: cqltype.Text}},
	}
	header, row := "k", "a"
	for i := range 10_000 {
		columns = append(
			columns,
			schema.Column{
				Name: fmt.Sprint("v", i),
				Kind: schema.Regular,
				Type: &cqltype.Type{Kind: cqltype.Int},
			},
		)
		header, row = header+fmt.Sprint(",v", i), row+",1"
	}
	s := &shelf{}
	for range 40 {
		s.texts = append(s.texts, header+"\n"+row+"\n")
	}
	j, k := s.job(newBasket(false))
	j.Table = schema.New("ks", "t", columns)
	var mu sync.Mutex
	planned := 0
	j.Fields.Codec = func(schema.Column) (format.Codec, error) {
		mu.Lock()
		defer mu.Unlock()
		planned++
		return texts{}, nil
	}
	tally, err := j.Run(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 40, tally.Written, k.rejects)
	require.LessOrEqual(t, planned, 3*len(columns), "but for those that plan it at the same time")
}

// texts is a codec of any column.
type texts struct{}

func (texts) AppendWire(dst, _ []byte) ([]byte, error) { return append(dst, 0, 0, 0, 1), nil }
