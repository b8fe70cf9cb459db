package operation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

const shopHeader = "customer,number,pieces\n"

// retry loads the rejects of a run again as they are in text; empty: as they are.
func (s *shop) retry(t *testing.T, dir, text string, values setting.Values) LoadReport {
	t.Helper()
	if text != "" {
		require.NoError(
			t,
			os.WriteFile(filepath.Join(dir, "rejects.csv"), []byte(shopHeader+text), 0o600),
		)
	}
	r, err := PrepareRetry(
		t.Context(),
		s.env,
		spec.Resume{RunDir: dir, Changes: typedChanges(values)},
	)
	require.NoError(t, err)
	defer r.Load.Close()
	report, err := r.Load.Run(t.Context())
	require.NoError(t, err)
	return report
}

// rows are those of the table, as a scan writes them.
func (s *shop) rows(t *testing.T) []string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "rows.csv")
	s.runScan(t, out)
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	return strings.Fields(strings.TrimPrefix(string(text), shopHeader))
}

// A row that is corrected after a retry has written it replaces what that retry wrote. An unchanged
// row is written with the same timestamp.
func TestRetryOfCorrectedRows(t *testing.T) {
	s := openShop(t)
	_, err := s.runLoad(t, s.load(t, shopHeader+"ann,1,x\nbob,1,x\n"))
	require.NoError(t, err)
	require.Equal(t, run.Done, s.retry(t, "run", "ann,1,9\nbob,1,9\n", nil).Outcome)
	require.ElementsMatch(t, []string{"ann,1,9", "bob,1,9"}, s.rows(t))
	require.Empty(t, s.told)
	for _, pieces := range []string{"4", "7", "2"} {
		s.told = nil
		require.Equal(t, run.Done, s.retry(t, "run", "ann,1,"+pieces+"\nbob,1,9\n", nil).Outcome)
		require.ElementsMatch(t, []string{"ann,1," + pieces, "bob,1,9"}, s.rows(t))
		require.Equal(
			t,
			[]string{
				"1 row may have been written before, and has another text or reading by now: " +
					"it is written with a later timestamp, which replaces what an earlier load wrote, except where a value is null",
			},
			s.told,
		)
	}
	_, loaded, err := records.ReadLoad("run")
	require.NoError(t, err)
	tried := loaded.Retried["rejects.csv"].Rows
	require.EqualValues(t, 3, tried[0].Step)

	// Nothing was changed: the timestamps stay.
	s.told = nil
	require.Equal(t, run.Done, s.retry(t, "run", "", nil).Outcome)
	require.Empty(t, s.told)
	_, loaded, err = records.ReadLoad("run")
	require.NoError(t, err)
	require.Equal(t, tried, loaded.Retried["rejects.csv"].Rows)
}

// A row that no load has sent yet keeps the timestamp of its place in the input, however often it
// could not be read. The row of the same key directly behind it wins.
func TestRetryOfUnreadRows(t *testing.T) {
	s := openShop(t)
	_, err := s.runLoad(t, s.load(t, shopHeader+"ann,1,x\nann,1,10\n"))
	require.NoError(t, err)
	require.Equal(t, run.Partly, s.retry(t, "run", "", nil).Outcome)
	require.Equal(t, run.Partly, s.retry(t, "run", "ann,1,y\n", nil).Outcome)
	require.Equal(t, run.Done, s.retry(t, "run", "ann,1,99\n", nil).Outcome)
	require.Equal(t, []string{"ann,1,10"}, s.rows(t))
	require.Empty(t, s.told)
}

// Rejects of one key keep their order when the first of them is corrected.
func TestRetryKeepsTheOrderOfCorrectedRows(t *testing.T) {
	s := openShop(t)
	_, err := s.runLoad(t, s.load(t, shopHeader+"ann,1,x\nann,1,y\nbob,1,5\n"))
	require.NoError(t, err)
	require.Equal(t, run.Done, s.retry(t, "run", "ann,1,1\nann,1,2\n", nil).Outcome)
	require.Equal(t, run.Done, s.retry(t, "run", "ann,1,9\nann,1,2\n", nil).Outcome)
	require.Equal(t, run.Done, s.retry(t, "run", "ann,1,8\nann,1,2\n", nil).Outcome)
	require.ElementsMatch(t, []string{"ann,1,2", "bob,1,5"}, s.rows(t))
}

// Rows that are read otherwise than before replace what was read before.
func TestRetryOfRowsReadOtherwise(t *testing.T) {
	s := openShop(t)
	_, err := s.runLoad(t, s.load(t, shopHeader+"ann,1,x\n"))
	require.NoError(t, err)
	// Of the two integers the greater is written first.
	require.Equal(
		t,
		run.Done,
		s.retry(
			t,
			"run",
			"ann,2,1\n",
			setting.Values{"map": {"number=pieces,pieces=number"}},
		).Outcome,
	)
	require.Equal(t, run.Done, s.retry(t, "run", "ann,1,1\n", nil).Outcome)
	require.Equal(t, []string{"ann,1,1"}, s.rows(t), "it is read as the first retry read it")
	require.Len(t, s.told, 1)
	require.Equal(t, run.Done, s.retry(t, "run", "", setting.Values{"map": {""}}).Outcome)
	require.Len(t, s.told, 2, "it is the same text, read otherwise")
}

// The rejects of a retry are corrected in the run directory of the retry, or in that of the first
// load. The last row written stays.
func TestRetryOfRetries(t *testing.T) {
	s := openShop(t)
	_, err := s.runLoad(t, s.load(t, shopHeader+"ann,1,x\n"))
	require.NoError(t, err)
	require.Equal(t, run.Partly, s.retry(t, "run", "", nil).Outcome)
	for i, pieces := range []string{"9", "8", "7", "6"} {
		dir := []string{"run/retry-1", "run"}[i%2]
		require.Equal(t, run.Done, s.retry(t, dir, "ann,1,"+pieces+"\n", nil).Outcome)
		require.Equal(t, []string{"ann,1," + pieces}, s.rows(t))
	}
}

// A row that was rejected by the cluster may be in the table: corrected, it replaces that. As it
// was, it keeps its timestamp.
func TestRetryOfRowsThatTheClusterRejected(t *testing.T) {
	s := openShop(t)
	settings := s.load(t, shopHeader+"ann,1,9\n")
	settings.MaxAttempts = 1
	applied := s.cluster.Inject(
		simcluster.Rule{
			Match: func(r simcluster.Request) bool { return len(r.Keys) > 0 },
			Fault: simcluster.WriteTimeoutApplied,
		},
	)
	loaded, err := s.runLoad(t, settings)
	require.NoError(t, err)
	require.EqualValues(t, 1, loaded.InsertErrors)
	applied.Remove()
	require.Equal(t, []string{"ann,1,9"}, s.rows(t))
	require.Equal(t, run.Done, s.retry(t, "run", "", nil).Outcome)
	require.Empty(t, s.told)
	require.Equal(t, run.Done, s.retry(t, "run", "ann,1,4\n", nil).Outcome)
	require.Equal(t, []string{"ann,1,4"}, s.rows(t))
}

// Rows that cannot be matched with the earlier ones are written as of the time of the retry.
// Further retries are not older.
func TestRetryAsOfNow(t *testing.T) {
	s := openShop(t)
	_, err := s.runLoad(t, s.load(t, shopHeader+"ann,1,x\n"))
	require.NoError(t, err)
	require.Equal(t, run.Done, s.retry(t, "run", "ann,1,9\nbob,1,9\n", nil).Outcome)
	require.Equal(t, run.Done, s.retry(t, "run", "ann,1,4\n", nil).Outcome)
	require.ElementsMatch(t, []string{"ann,1,4", "bob,1,9"}, s.rows(t))
	require.Contains(t, s.told[len(s.told)-1], "an earlier retry wrote its rows as of its time")
}
