package operation

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/run/status"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// manySmall is more inputs than run.json has itself.
const manySmall = 300

// loadMany is the spec of a load of a folder of small files, each of one row.
func (s *shop) loadMany(t *testing.T) *spec.Load {
	t.Helper()
	settings := s.load(t, "")
	require.NoError(t, os.Mkdir("data", 0o700))
	for i := range manySmall {
		writeSmall(t, i, i)
	}
	settings.Inputs = []string{"data"}
	return settings
}

func writeSmall(t *testing.T, number, pieces int) {
	t.Helper()
	text := fmt.Sprintf("customer,number,pieces\nann,%d,%d\n", number, pieces)
	require.NoError(t, os.WriteFile(smallName(number), []byte(text), 0o600))
}

func smallName(number int) string { return filepath.Join("data", fmt.Sprintf("%03d.csv", number)) }

// stopMany runs a load, and stops it when the cluster has been sent some writes.
func (s *shop) stopMany(t *testing.T, settings *spec.Load, after int) {
	t.Helper()
	met := make(chan struct{})
	writes := func(r simcluster.Request) bool { return len(r.Keys) > 0 }
	stall := s.cluster.Inject(
		simcluster.Rule{
			Match: writes,
			Skip:  after,
			Fault: simcluster.Silence,
			Do:    sync.OnceFunc(func() { close(met) }),
		},
	)
	l, err := PrepareLoad(t.Context(), s.env, *settings)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := l.Run(ctx)
		ended <- err
	}()
	<-met
	require.Eventually(
		t,
		func() bool { return l.Counters().Rows.Load() > 0 },
		time.Minute,
		time.Millisecond,
	)
	stop()
	require.Error(t, <-ended)
	l.Close()
	stall.Remove()
}

func (s *shop) resume(t *testing.T) (LoadReport, error) {
	t.Helper()
	of, err := PrepareResume(t.Context(), s.env, spec.Resume{RunDir: "run"})
	if err != nil {
		return LoadReport{}, err
	}
	defer of.Load.Close()
	return of.Load.Run(t.Context())
}

// A stopped load of many small files resumes. Files that came into the folder meanwhile are not its
// own.
func TestManyFilesResumed(t *testing.T) {
	s := openShop(t)
	settings := s.loadMany(t)
	s.stopMany(t, settings, 4)
	m, err := journal.ReadManifest("run")
	require.NoError(t, err)
	require.Equal(t, journal.VersionListed, m.Version)
	require.FileExists(t, filepath.Join("run", journal.InputsFile))
	info, err := os.Stat(filepath.Join("run", journal.ManifestFile))
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(4<<10), "the inputs are not in run.json")
	stood, err := status.Read("run")
	require.NoError(t, err)
	require.Equal(t, manySmall, stood.Load.Inputs)
	require.NotEmpty(t, stood.Load.Begun)
	require.True(t, strings.HasSuffix(stood.Load.Begun[0].Path, ".csv"))
	record, err := status.ReadRecord("run")
	require.NoError(t, err)
	require.Len(t, record.Args, 1+manySmall)

	writeSmall(t, manySmall, 7)
	report, err := s.resume(t)
	require.NoError(t, err)
	require.Equal(t, run.Done, report.Outcome)
	require.EqualValues(t, manySmall, report.Written)
	require.Contains(t, strings.Join(s.told, "\n"), "1 file came into the folders of the inputs")
	require.EqualValues(t, manySmall, s.runScan(t, "out.csv").Rows)
	require.NoDirExists(t, "run")
}

// Files that come into the folder of the inputs while a load runs are not loaded, and it says so.
func TestFilesThatComeMeanwhile(t *testing.T) {
	s := openShop(t)
	settings := s.loadMany(t)
	for name, words := range map[string][]string{
		"folder":  {"data"},
		"pattern": {filepath.Join("data", "*.csv")},
		"files":   {smallName(0), smallName(1)},
	} {
		t.Run(name, func(t *testing.T) {
			s.told = nil
			settings.Inputs = words
			l, err := PrepareLoad(t.Context(), s.env, *settings)
			require.NoError(t, err)
			defer l.Close()
			late := []string{smallName(manySmall), smallName(manySmall + 1)}
			for i := range late {
				writeSmall(t, manySmall+i, 7)
			}
			report, err := l.Run(t.Context())
			require.NoError(t, err)
			for _, file := range late {
				require.NoError(t, os.Remove(file))
			}
			if name == "files" {
				require.EqualValues(t, 2, report.Written)
				require.Empty(t, s.told)
				return
			}
			require.EqualValues(t, manySmall, report.Written)
			require.Equal(t, []string{
				"2 files came into the folders of the inputs after the load began, " +
					late[0] + " first: they are not loaded",
			}, s.told)
		})
	}
}

// Rows that are added to an input while a load runs may not be loaded, and the load says so.
func TestInputsThatGrowMeanwhile(t *testing.T) {
	s := openShop(t)
	settings := s.loadMany(t)
	l, err := PrepareLoad(t.Context(), s.env, *settings)
	require.NoError(t, err)
	defer l.Close()
	grow := func() {
		file, err := os.OpenFile(smallName(7), os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = file.WriteString("ann,9000,1\n")
		require.NoError(t, err)
		require.NoError(t, file.Close())
	}
	s.cluster.Inject(simcluster.Rule{Times: 1, Do: grow})
	_, err = l.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{
		"1 input changed while the load ran, " + smallName(7) +
			" first: what was written after the load read it is not loaded",
	}, s.told)
}

// A file that is removed or changed stops the load, and a resume says so, until it is back.
func TestManyFilesOneRemovedOrChanged(t *testing.T) {
	s := openShop(t)
	settings := s.loadMany(t)
	l, err := PrepareLoad(t.Context(), s.env, *settings)
	require.NoError(t, err)
	last := smallName(manySmall - 1)
	require.NoError(t, os.Rename(last, "away"))
	_, err = l.Run(t.Context())
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, last)
	l.Close()
	require.NoError(t, os.Rename("away", last))

	s.stopMany(t, settings, 4)
	first := smallName(0)
	require.NoError(t, os.Rename(first, "away"))
	_, err = s.resume(t)
	require.ErrorAs(t, err, new(*run.RefusedError))
	require.ErrorContains(t, err, first)
	writeSmall(t, 0, 9)
	_, err = s.resume(t)
	require.ErrorContains(t, err, first+" was changed since the run began: ")
	require.NoError(t, os.Rename("away", first))
	report, err := s.resume(t)
	require.NoError(t, err)
	require.EqualValues(t, manySmall, report.Written)
}

// The rejects of many files are tried again as those of a few.
func TestManyFilesRetried(t *testing.T) {
	s := openShop(t)
	settings := s.loadMany(t)
	require.NoError(
		t,
		os.WriteFile(smallName(100), []byte("customer,number,pieces\nann,100,x\n"), 0o600),
	)
	report, err := s.runLoad(t, settings)
	require.NoError(t, err)
	require.Equal(t, run.Partly, report.Outcome)
	require.EqualValues(t, manySmall-1, report.Written)
	require.NoError(
		t,
		os.WriteFile(
			filepath.Join("run", "rejects.csv"),
			[]byte("customer,number,pieces\nann,100,1\n"),
			0o600,
		),
	)
	again, err := PrepareRetry(t.Context(), s.env, spec.Resume{RunDir: "run"})
	require.NoError(t, err)
	defer again.Load.Close()
	report, err = again.Load.Run(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, report.Written)
	require.EqualValues(t, manySmall, s.runScan(t, "out.csv").Rows)
}

// A run of many inputs that an older program began has them in run.json, and resumes.
func TestManyFilesOfAnOlderRunResumed(t *testing.T) {
	s := openShop(t)
	settings := s.loadMany(t)
	s.stopMany(t, settings, 4)
	m, err := journal.ReadManifest("run")
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll("run"))

	var extra records.Extra
	require.NoError(t, json.Unmarshal(m.Extra, &extra))
	var options recorded.Spec
	require.NoError(t, json.Unmarshal(m.Options, &options))
	extra.Listed = nil
	for i := range manySmall {
		in, err := records.LookAt(nil, smallName(i))
		require.NoError(t, err)
		extra.Inputs = append(extra.Inputs, in)
		options.Args = append(options.Args, in.Path)
	}
	m.Version = 0
	m.Extra, err = json.Marshal(extra)
	require.NoError(t, err)
	m.Options, err = json.Marshal(options)
	require.NoError(t, err)
	old, err := records.NewLoad("run", m)
	require.NoError(t, err)
	require.NoError(t, old.Abandon())
	m, err = journal.ReadManifest("run")
	require.NoError(t, err)
	require.Equal(t, journal.Version, m.Version)
	status, err := status.Read("run")
	require.NoError(t, err)
	require.Equal(t, manySmall, status.Load.Inputs)
	report, err := s.resume(t)
	require.NoError(t, err)
	require.EqualValues(t, manySmall, report.Written)
}

// A stopped scan into many parts resumes with them: its journal has their names and sums.
func TestManyPartsResumed(t *testing.T) {
	s := openShop(t)
	const rows = 400
	var input strings.Builder
	input.WriteString("customer,number,pieces\n")
	for i := range rows {
		fmt.Fprintf(&input, "c%d,1,%d\n", i, i)
	}
	_, err := s.runLoad(t, s.load(t, input.String()))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	interrupt := s.cluster.Inject(simcluster.Rule{Skip: 60, Times: 1, Do: cancel})
	settings := spec.NewScan()
	settings.Connection, settings.TableName, settings.Dir, settings.RunDir, settings.Parallel, settings.Splits = s.connection, orders, "out", "run", 1, 100
	settings.MaxOutputSize = 1
	scan, err := PrepareScan(ctx, s.env, *settings)
	require.NoError(t, err)
	report, err := scan.Run(ctx)
	scan.Close()
	interrupt.Remove()
	require.Equal(t, run.Interrupted, report.Outcome, "%v", err)
	require.Greater(t, report.Rows, int64(20))
	text, err := os.ReadFile(journal.Path("run"))
	require.NoError(t, err)
	require.Contains(t, string(text), " mark-files ")

	resumed, err := PrepareResume(t.Context(), s.env, spec.Resume{RunDir: "run"})
	require.NoError(t, err)
	defer resumed.Scan.Close()
	whole, err := resumed.Scan.Run(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, rows, whole.Rows)
	require.Len(t, whole.Files, rows)
	for _, f := range whole.Files {
		info, err := os.Stat(filepath.Join("out", f.Name))
		require.NoError(t, err)
		require.Equal(t, f.Bytes, info.Size())
	}
}
