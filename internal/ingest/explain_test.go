package ingest

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

// visits is a table whose columns can be bad in many ways.
var visits = schema.New("demo", "visits", []schema.Column{
	tabletest.Column(
		"page",
		schema.PartitionKey,
		0,
		"text",
	),
	tabletest.Column("day", schema.PartitionKey, 1, "date"),
	tabletest.Column("at", schema.Clustering, 0, "time"),
	tabletest.Column("n", schema.Regular, 0, "int"),
	tabletest.Column("ratio", schema.Regular, 0, "double"),
})

// explainRun runs a job over a text, and returns the explanation of its fields and the rejects.
func explainRun(
	t *testing.T,
	table *schema.Table,
	text string,
	set func(*Job),
) (map[string]Explanation, []Reject) {
	t.Helper()
	job, kept := newJob(table, newBasket(false), text)
	told := make(map[string]Explanation)
	job.Explain = func(input string, e Explanation) { told[input] = e }
	set(job)
	_, err := job.Run(context.Background())
	require.NoError(t, err)
	return told, kept.rejects
}

type bad struct {
	line, field   int
	column, value string
}

// badFields are the bad fields of the one reject that there is.
func badFields(t *testing.T, rejects []Reject) (fields []bad, reasons []string) {
	t.Helper()
	require.Len(t, rejects, 1)
	r := rejects[0]
	fields = append(
		fields,
		bad{int(r.Line), r.Field, r.Column, r.Value},
	)
	reasons = append(reasons, r.Reason)
	for _, b := range r.More {
		fields = append(
			fields,
			bad{int(b.Line), b.Field, b.Column, b.Value},
		)
		reasons = append(reasons, b.Reason)
	}
	return fields, reasons
}

func TestAllBadFieldsOfARecord(t *testing.T) {
	all := func(j *Job) { j.AllBadFields = true }
	const header = "page,day,at,n,ratio,ttl(n)\n"
	_, rejects := explainRun(t, visits, header+"a,2020-01-01,,x,2,y\n", func(*Job) {})
	fields, _ := badFields(t, rejects)
	require.Equal(t, []bad{{2, 15, "n", "x"}}, fields, "without AllBadFields the first alone")

	_, rejects = explainRun(
		t,
		visits,
		header+"a,2020-01-01,,x,2,y\nb,2020-01-01,01:00:00,1,2,3\n",
		all,
	)
	fields, reasons := badFields(t, rejects)
	require.Equal(t, []bad{{2, 15, "n", "x"}, {2, 14, "at", ""}, {2, 19, "ttl(n)", "y"}}, fields)
	require.Equal(t, "primary key column must not be null", reasons[1])

	_, rejects = explainRun(t, visits, header+",,01:00:00,1,2,3\n", all)
	fields, _ = badFields(t, rejects)
	require.Equal(t, []bad{{2, 1, "page", ""}, {2, 2, "day", ""}}, fields)

	_, rejects = explainRun(t, visits, header+"too,few\n", all)
	fields, _ = badFields(t, rejects)
	require.Len(t, fields, 1, "a record as a whole has one reason")
}

func TestAllBadMembersOfAnObject(t *testing.T) {
	asJSON := func(j *Job) {
		j.AllBadFields, j.Format, j.Fields = true, format.JSON{}, Fields{
			Renamed: map[string]string{"seite": "page"},
		}
	}
	_, rejects := explainRun(
		t,
		visits,
		`{"page": "a", "n": "x", "nn": 1, "ratio": true, "day": "2020-01-01", "seite": "b"}`+"\n",
		asJSON,
	)
	fields, reasons := badFields(t, rejects)
	require.Equal(
		t,
		[]string{"n", "", "ratio", "page", "at"},
		[]string{
			fields[0].column,
			fields[1].column,
			fields[2].column,
			fields[3].column,
			fields[4].column,
		},
	)
	require.Contains(t, reasons[1], `"nn"`)
	require.Equal(t, []string{
		"two members of the object are of this column",
		format.ErrNullKey.Error(),
	}, reasons[3:])
	_, rejects = explainRun(t, visits, `{"page": "a"}`+"\n", asJSON)
	fields, _ = badFields(t, rejects)
	require.Equal(t, []bad{{1, 1, "day", ""}, {1, 1, "at", ""}}, fields)
}

func TestFieldsAreExplained(t *testing.T) {
	told, _ := explainRun(t, visits, "day,note,Seite,ttl(n),n,at\n", func(j *Job) {
		j.Fields = Fields{Renamed: map[string]string{"Seite": "page"}, Skipped: []string{"note"}}
	})
	e := told["in.csv"]
	var uses []string
	for _, f := range e.Fields {
		uses = append(uses, f.Field+"="+f.Loaded+"="+f.Column.Name)
	}
	require.Equal(
		t,
		"day=day=day note== Seite=page=page ttl(n)=ttl(n)=n n=n=n at=at=at",
		strings.Join(uses, " "),
	)
	require.Equal(t, []string{"ratio"}, e.Missing)

	told, _ = explainRun(t, visits, "{}\n", func(j *Job) {
		j.Format, j.Columns = format.JSON{}, []string{"page", "day", "at"}
		j.Fields = Fields{Renamed: map[string]string{"seite": "page"}, Skipped: []string{"note"}}
	})
	e, uses = told["in.csv"], nil
	for _, f := range e.Fields {
		uses = append(uses, f.Field+"="+f.Loaded)
	}
	require.Equal(t, "page=page day=day at=at note= seite=page", strings.Join(uses, " "))
	require.Equal(t, []string{"n", "ratio"}, e.Missing)
}
