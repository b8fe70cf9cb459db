package chaos

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// checkKept says that the rows that were not written are those that could not be.
func (l *loading) checkKept(k *kept) {
	loaded := make(map[*record]bool)
	for _, rec := range l.in.records {
		loaded[rec] = true
		stage := k.stages[rec]
		switch {
		case rec.bad:
			require.Equal(l, atParse, stage, "bad record %d", rec.id)
		case rec.poison && l.once(rec):
			require.Contains(
				l,
				[]string{atInsert, inDoubt},
				stage,
				"record %d, which the cluster refuses",
				rec.id,
			)
		case rec.poison:
			require.Equal(l, atInsert, stage, "record %d, which the cluster refuses", rec.id)
		case !l.once(rec):
			require.NotEqual(l, inDoubt, stage, "record %d may be written twice", rec.id)
			fallthrough
		default:
			require.NotEqual(l, atParse, stage, "record %d is good", rec.id)
			require.True(
				l,
				l.weather.hard || stage != atInsert,
				"record %d could have been written",
				rec.id,
			)
		}
	}
	for rec := range k.stages {
		require.True(l, loaded[rec], "record %d was not to be loaded", rec.id)
	}
}

// checkApplied compares what was written, row by row, with what was to be, but for
// the rows that were kept.
func (l *loading) checkApplied(k *kept) {
	times := make(map[int64]int)
	stamps := make(map[int64]int64)
	id := l.in.shape.columns[l.in.shape.id].Name
	for _, a := range l.cluster.Applied() {
		for _, set := range a.Sets {
			if set.Column != id {
				continue
			}
			n := int64(binary.BigEndian.Uint64(set.Value))
			times[n]++
			if first, known := stamps[n]; known && !l.in.shape.counter {
				require.Equal(l, first, a.Timestamp, "record %d was written with two timestamps", n)
			}
			stamps[n] = a.Timestamp
		}
	}
	var lost, twice, wrong []int64
	before := int64(0)
	for _, rec := range l.in.records {
		n := times[rec.id]
		delete(times, rec.id)
		stage := k.stages[rec]
		switch {
		case stage == "" && n == 0:
			lost = append(lost, rec.id)
		case l.once(rec) && n > 1:
			twice = append(twice, rec.id)
		case n > 0 && (rec.bad || rec.poison && l.poisoned || l.once(rec) && stage == atInsert):
			wrong = append(wrong, rec.id)
		}
		if !l.in.shape.counter && n > 0 {
			require.Greater(
				l,
				stamps[rec.id],
				before,
				"record %d does not come after those before it",
				rec.id,
			)
			before = stamps[rec.id]
		}
	}
	totals.lost.Add(int64(len(lost)))
	totals.twice.Add(int64(len(twice)))
	require.Empty(l, lost, "records were lost")
	require.Empty(l, twice, "records were written twice")
	require.Empty(l, wrong, "records were rejected, and yet written")
	require.Empty(l, times, "records were written that were not to be loaded")
}

// checkState compares what the table holds with the records that are not rejected: of each column
// the last of its key that has a value.
func (l *loading) checkState(k *kept) {
	if l.in.shape.counter || k.of(inDoubt) > 0 {
		return // each row was counted once, and one in doubt may be there or not
	}
	shape := l.in.shape
	rows, statics := make(map[string]map[string]value), make(map[string]value)
	for _, rec := range l.in.records {
		if k.stages[rec] != "" {
			continue
		}
		cells := rows[rec.key(shape.whole)]
		if cells == nil {
			cells = make(map[string]value)
			rows[rec.key(shape.whole)] = cells
		}
		for i, c := range shape.columns {
			v := rec.values[i]
			if i >= shape.whole && v.null() && !(l.nulls && l.has(rec, i)) {
				continue
			}
			if c.Kind == "static" {
				statics[rec.key(shape.keys)] = v
			} else {
				cells[c.Name] = v
			}
		}
	}
	records := l.cluster.Records(table)
	require.Len(l, records, len(rows))
	columns := l.cluster.Columns(table)
	for _, got := range records {
		found := record{values: make([]value, len(columns))}
		for i := range columns {
			found.values[i] = value{wire: got.Cells[i].Value}
		}
		want := rows[found.key(shape.whole)]
		require.NotNil(l, want, "a row that was not loaded")
		for i, c := range columns {
			v := want[c.Name]
			if c.Kind == "static" {
				v = statics[found.key(shape.keys)]
			}
			require.Equal(
				l,
				v.wire,
				got.Cells[i].Value,
				"column %s of the row of key %s",
				c.Name,
				found.key(shape.whole),
			)
		}
	}
}

// has says whether a record's file has a column.
func (l *loading) has(rec *record, column int) bool { return l.in.json || rec.has[column] }

var (
	summaryLine = regexp.MustCompile(
		`loaded +([0-9,]+) rows? into ks\.t, ([0-9,]+) read, ([0-9,]+) rejected(?s:.*)checksum +([0-9a-f]{32})`,
	)
	doubtPart = regexp.MustCompile(`rejected, ([0-9,]+) in doubt`)
)

// checkEnd says that the last process said the truth about the whole run.
func (l *loading) checkEnd(e exit, dir string, records []*record, k *kept) {
	rejected, doubtful := k.of(atParse, atInsert), k.of(inDoubt)
	if e.killed() {
		require.Zero(l, rejected+doubtful, "the run directory was taken away, with rejects in it")
		return
	}
	if rejected+doubtful > 0 {
		require.Equal(l, exitPartly, e.code)
	} else {
		require.Equal(l, exitOK, e.code)
		require.NoDirExists(l, dir, "a run with nothing to record")
	}
	m := summaryLine.FindStringSubmatch(e.output)
	require.NotNil(l, m, "no summary: %s", e.output)
	require.Equal(l, len(records)-rejected-doubtful, number(m[1]), "rows written")
	require.Equal(l, len(records), number(m[2]), "rows read")
	require.Equal(l, rejected, number(m[3]), "rows rejected")
	require.Equal(l, l.sum(records, k).String(), m[4], "checksum")
	said := 0
	if m := doubtPart.FindStringSubmatch(e.output); m != nil {
		said = number(m[1])
	}
	require.Equal(l, doubtful, said, "rows in doubt")
}

func number(text string) int {
	n, _ := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
	return n
}

// sum is the checksum of the rows that were written, each of the columns that its
// file has, in the table's order.
func (l *loading) sum(records []*record, k *kept) rowsum.Sum {
	var sum rowsum.Sum
	hashers := make(map[string]*rowsum.Hasher)
	for _, rec := range records {
		if k.stages[rec] != "" {
			continue
		}
		var types []*cqltype.Type
		var cells [][]byte
		for _, c := range l.cluster.Columns(table) {
			i := slices.IndexFunc(
				l.in.shape.columns,
				func(own simcluster.Column) bool { return own.Name == c.Name },
			)
			if !l.has(rec, i) {
				continue
			}
			typ, err := cqltype.Parse(c.Type, nil)
			require.NoError(l, err)
			types, cells = append(types, typ), append(cells, rec.values[i].wire)
		}
		of := fmt.Sprint(rec.has)
		if hashers[of] == nil {
			hashers[of] = rowsum.New(types)
		}
		sum = sum.Add(hashers[of].Row(cells))
	}
	return sum
}
