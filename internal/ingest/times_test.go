package ingest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

var shared = schema.New("demo", "shared", []schema.Column{
	tabletest.Column("k", schema.PartitionKey, 0, "text"), tabletest.Column("c", schema.Clustering, 0, "text"),
	tabletest.Column("s", schema.Static, 0, "text"), tabletest.Column("u", schema.Static, 0, "text"),
	tabletest.Column("v", schema.Regular, 0, "text"), tabletest.Column("w", schema.Regular, 0, "text"),
})

// statementsOf returns the statements that write the one row of a text. Each has "+" if it makes
// the row, the columns with a value or a null, and timestamp/TTL.
func statementsOf(t *testing.T, null row.State, header, line string) []string {
	t.Helper()
	to := newBasket(true)
	job, _ := newJob(shared, to, header+"\n"+line+"\n")
	job.Null = null
	stamp := int64(100)
	job.Timestamp = &stamp
	_, err := job.Run(context.Background())
	require.NoError(t, err)
	require.Len(t, to.kept, 1)
	var told []string
	for _, r := range append([]row.Row{to.kept[0].Row}, to.kept[0].More...) {
		var columns []string
		for i, name := range timedColumns(header) {
			if r.Cells[i].State != row.Unset {
				columns = append(
					columns,
					name+map[row.State]string{row.Null: "=null"}[r.Cells[i].State],
				)
			}
		}
		makes := map[bool]string{true: "+"}[r.Cells[1].State == row.Set && !r.Update]
		told = append(
			told,
			fmt.Sprintf("%s%s %d/%d", makes, strings.Join(columns, ","), r.Timestamp, r.TTL),
		)
	}
	return told
}

func timedColumns(header string) (columns []string) {
	for name := range strings.SplitSeq(header, ",") {
		if !strings.Contains(name, "(") {
			columns = append(columns, name)
		}
	}
	return columns
}

// One statement makes the row, at the time of its own values, whatever times the others have.
func TestOneStatementMakesTheRow(t *testing.T) {
	const all = "k,c,s,u,v,w,writetime(s),ttl(s),writetime(u),ttl(u),writetime(v),ttl(v),writetime(w),ttl(w)"
	for _, c := range []struct {
		line string
		want []string
	}{
		{"k,c,s,u,v,w,5,,5,,5,,5,", []string{"+k,c,s,u,v,w 5/-1"}},
		// The row has no value of its own, so that its time is not known.
		{"k,c,s,u,,,1,,2,,,,,", []string{"+k,c 100/0", "k,s 1/-1", "k,u 2/-1"}},
		{"k,c,s,,,,1,50,,,,,,", []string{"+k,c 100/0", "k,s 1/50"}},
		{"k,c,s,u,,,1,50,1,50,,,,", []string{"+k,c 100/0", "k,s,u 1/50"}},
		{"k,c,,,,,,,,,,,,", []string{"+k,c 100/0"}},
		// The value that lives longest has the row, and of two the later.
		{"k,c,s,,v,w,9,,,,5,70,6,50", []string{"+k,c,v 5/70", "k,s 9/-1", "k,c,w 6/50"}},
		{"k,c,s,,v,w,6,50,,,5,,6,50", []string{"+k,c,v 5/-1", "k,c,s,w 6/50"}},
		{"k,c,,,v,w,,,,,5,,6,", []string{"+k,c,w 6/-1", "k,c,v 5/-1"}},
		{"k,c,s,u,v,,6,,5,,5,,,", []string{"+k,c,u,v 5/-1", "k,s 6/-1"}},
		// Without clustering columns there is no row to make.
		{"k,,s,u,,,1,50,2,,,,,", []string{"k,s 1/50", "k,u 2/-1"}},
		{"k,,s,u,,,1,,1,,,,,", []string{"k,s,u 1/-1"}},
	} {
		require.Equal(t, c.want, statementsOf(t, row.Unset, all, c.line), c.line)
	}
	require.Equal(
		t,
		[]string{"+k,c,v 5/-1", "k,c,w=null 100/0"},
		statementsOf(t, row.Null, "k,c,v,w,writetime(v),ttl(v)", "k,c,v,,5,"),
	)
	require.Equal(
		t,
		[]string{"k,s 5/-1", "k,u=null 100/0"},
		statementsOf(t, row.Null, "k,c,s,u,v,writetime(s),ttl(s)", "k,,s,,,5,"),
	)
	require.Equal(
		t,
		[]string{"+k,c,v 100/0", "k,c,w 5/0"},
		statementsOf(t, row.Unset, "k,c,v,w,writetime(w)", "k,c,v,w,5"),
		"the time of v is not known",
	)
}

func TestRowsWithoutWriteTimesAreRejected(t *testing.T) {
	const noTime = "the value has no write time, which --preserve-times requires"
	for _, c := range []struct {
		name, input string
		format      format.Format
		err         string
		rejected    int
		rows        int
	}{
		{
			name:     "a field for each",
			input:    "k,c,v,writetime(v),w,writetime(w)\n1,1,a,5,2,6\n2,1,,,2,6\n3,1,a,,2,6\n",
			rejected: 1,
			rows:     2,
		},
		{
			name:  "no field",
			input: "k,c,v,writetime(v),w\n1,1,a,5,2\n",
			err:   "--preserve-times: the input has no field writetime(w)",
		},
		{
			name:     "objects",
			input:    `{"k": "1", "c": "1", "v": "a", "writetime(v)": 5}` + "\n" + `{"k": "2", "c": "1", "v": "a"}` + "\n",
			format:   format.JSON{},
			rejected: 1,
			rows:     1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			to := newBasket(true)
			job, kept := newJob(shared, to, c.input)
			job.Fields.Timed = true
			if c.format != nil {
				job.Format = c.format
			}
			_, err := job.Run(t.Context())
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Len(t, to.kept, c.rows)
			require.Len(t, kept.rejects, c.rejected)
			for _, r := range kept.rejects {
				require.Equal(t, noTime, r.Reason)
				require.Equal(t, "v", r.Column)
			}
		})
	}
}
