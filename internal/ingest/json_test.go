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
	"github.com/cqlbulk/cqlbulk/pkg/jsonl"
)

func TestJSONLines(t *testing.T) {
	for _, chunk := range []int{1, 40, 1 << 20} {
		job, c, rejects := loadtest.NewJob(
			tabletest.Names,
			`{"v":"first","k":"one","N":1}`+"\n\n"+`{"k":"two","n":null,"Junk":[1,{}],"value":"second"}`+"\r\n"+
				`{"k":"three","n":"x"}`+"\n"+`{"k":"four","n":1,"N":2}`+"\n"+`["k"]`+"\n"+`{"n":5}`+"\n"+`{"k":"five","w":5}`,
		)
		job.Format, job.ChunkSize = format.JSON{}, chunk
		job.Fields = ingest.Fields{
			Renamed: map[string]string{"value": "v"},
			Skipped: []string{"Junk"},
		}
		result := loadtest.MustRun(t, job, c)
		require.EqualValues(t, 7, result.Read)
		require.Equal(t, "first", c.Cells["k=6f6e65 "]["v"].Value)
		require.Equal(t, "\x00\x00\x00\x01", c.Cells["k=6f6e65 "]["n"].Value)
		require.Equal(t, "second", c.Cells["k=74776f "]["v"].Value)
		require.NotContains(t, c.Cells["k=74776f "], "n")
		require.Len(t, c.Cells, 2)
		var reasons []string
		for _, r := range rejects.Sorted() {
			require.Empty(t, r.Header)
			reasons = append(reasons, r.Reason)
		}
		require.Len(t, reasons, 5)
		require.Contains(t, reasons[0], "not an integer")
		require.Equal(t, "two members of the object are of this column", reasons[1])
		require.Contains(t, reasons[2], "expected an object")
		require.Equal(t, "primary key column must not be null", reasons[3])
		require.Contains(t, reasons[4], `no column "w"`)
	}
}

// A dotted name of Renamed is a member inside of an object, of any object around that is no column.
func TestMembersInsideOfObjects(t *testing.T) {
	in := `{"id":{"key":"one","note":{}},"n":1,"more":{"deep":{"v":"first","x":[{}]},"y":2}}` + "\n" +
		`{"n":2,"id":{"k\u0065y":"two"},"more":null}` + "\n" +
		`{"n":3,"id.key":"three","more":{"deep":"flat"}}` + "\n" +
		`{"n":4,"id":"four"}` + "\n" +
		`{"n":5,"id":{"key":"five","other":1}}` + "\n" +
		`{"n":6,"id":{"key":"six"},"id.key":"seven"}` + "\n" +
		`{"n":7,"id":{"key":"a","key":"b"}}` + "\n" +
		`{"n":8,"id":{"key":["nine"]}}` + "\n" +
		`{"n":9,"id":{}}` + "\n"
	for _, chunk := range []int{1, 40, 1 << 20} {
		job, c, rejects := loadtest.NewJob(tabletest.Names, in)
		job.Format, job.ChunkSize = format.JSON{}, chunk
		job.Fields = ingest.Fields{
			Renamed: map[string]string{"id.key": "k", "more.deep.v": "v", "n.x": "v"},
			Skipped: []string{"more", "id.note"},
		}
		loadtest.MustRun(t, job, c)
		require.Len(t, c.Cells, 2)
		require.Equal(t, "first", c.Cells["k=6f6e65 "]["v"].Value)
		require.Equal(t, "\x00\x00\x00\x02", c.Cells["k=74776f "]["n"].Value)
		require.NotContains(t, c.Cells["k=74776f "], "v")
		var reasons []string
		for _, r := range rejects.Sorted() {
			reasons = append(reasons, fmt.Sprintf("%d:%d %s", r.Line, r.Field, r.Reason))
		}
		require.Len(t, reasons, 7)
		require.Equal(t, "3:40 more.deep must be an object: a member inside of it is read", reasons[0])
		require.Equal(t, "4:13 id must be an object: a member inside of it is read", reasons[1])
		require.Contains(t, reasons[2], `no column "id.other"`)
		require.Equal(t, "6:36 two members of the object are of this column", reasons[3])
		require.Equal(t, "7:30 two members of the object are of this column", reasons[4])
		require.Contains(t, reasons[5], "8:20 ")
		require.Contains(t, reasons[6], "primary key column must not be null")
	}
}

// An object that is no column may be one to read inside of.
func TestHintForAnObject(t *testing.T) {
	job, c, rejects := loadtest.NewJob(tabletest.Names, `{"k":"one","where":{"v":"x"}}`)
	job.Format = format.JSON{}
	loadtest.MustRun(t, job, c)
	require.Contains(t, rejects.Sorted()[0].Reason,
		"--map where.MEMBER=COLUMN reads a member inside of the object, --skipcols where leaves out the others")
}

// The members inside count as those of the object.
func TestManyMembersInside(t *testing.T) {
	in := `{"k":"one","o":{"v":"x"` + strings.Repeat(`,"y":1`, jsonl.MaxFields) + "}}\n" +
		`{"k":"two","o":null}` + "\n"
	job, c, rejects := loadtest.NewJob(tabletest.Names, in)
	job.Format = format.JSON{}
	job.Fields = ingest.Fields{Renamed: map[string]string{"o.v": "v"}}
	loadtest.MustRun(t, job, c)
	require.Len(t, c.Cells, 1)
	require.Len(t, rejects.Sorted(), 1)
	require.Equal(t, "the object and those inside of it have more than 65536 members", rejects.Sorted()[0].Reason)
}

func TestJSONMapping(t *testing.T) {
	job, _, _ := loadtest.NewJob(tabletest.Names, `{"k":"one"}`)
	job.Format, job.Columns = format.JSON{}, []string{"k", "n"}
	job.Fields = ingest.Fields{Renamed: map[string]string{"value": "v"}}
	_, err := job.Run(t.Context())
	var mapping *ingest.MappingError
	require.ErrorAs(t, err, &mapping)
	require.ErrorContains(t, err, `column "v" is not among those to load`)
}
