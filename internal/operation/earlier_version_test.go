package operation

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// The options of runs as version 0.1.0 recorded them: by the names of flags.
const (
	recordedLoad = `{"flags":{"delimiter":[";"],"format":["csv"],"hosts":["10.0.0.1","10.0.0.2"],"map":["c=customer"],"maxparseerrors":["150"],
		"minbatchsize":["10"],"null-string":["NA","a","b"],"port":["42887"],"rejects-of":["/data/load-run"],"skipcols":["item"],"timeout":["20s"],
		"timestamp":["1700000000000000"],"header":["true"],"memory":["64MiB"],"ingestrate":["1500.5"],"cacert":["/etc/ca.pem"],"ssl":["true"]},
		"args":["shop.\"Orders\"","/data/in.csv","-"]}`
	recordedScan = `{"flags":{"columns":["customer","number","pieces"],"compression":["gzip"],"delimiter":["\\t"],"dir":["/data/out"],
		"format":["tsv"],"hosts":["10.0.0.1"],"port":["42887"],"rate":["5000"],"seed":["18446744073709551615"]},"args":["shop.orders"]}`
)

// A load that an earlier version has recorded is taken up with what it was begun with, and
// recorded as it was.
func TestLoadOfAnEarlierVersion(t *testing.T) {
	r, err := recorded.Read(journal.Manifest{Command: "load", Options: json.RawMessage(recordedLoad)})
	require.NoError(t, err)
	settings, err := r.Load(setting.Changes{})
	require.NoError(t, err)

	want := *spec.NewLoad()
	want.TableName = spec.TableName{Keyspace: "shop", Table: "Orders"}
	want.Inputs = []string{"/data/in.csv", "-"}
	want.Delimiter = ";"
	want.Format = "csv"
	want.Hosts = []string{
		"10.0.0.1",
		"10.0.0.2",
	}
	want.Port = 42887
	want.Map = map[string]string{
		"c": "customer",
	}
	want.SkipCols = []string{
		"item",
	}
	want.Nulls = []string{
		"NA",
		"a",
		"b",
	}
	want.MaxParseErrors, want.Timeout, want.Timestamp = setting.RowLimit{Rows: 150}, 20*time.Second, "1700000000000000"
	want.RejectsOf, want.Memory, want.IngestRate = "/data/load-run", 64<<20, 1500.5
	want.TLS.On, want.TLS.Files.CACert = true, "/etc/ca.pem"
	want.Consistency = spec.UnrecordedConsistency
	want.Given = settings.Given
	require.Equal(t, want, settings)
	require.True(t, settings.Given["header"], "chosen, though it be the default")
	require.Equal(t, r.Flags, settings.Settings().Record(spec.NewLoad().Settings(), settings.Given))
}

// So is a scan.
func TestScanOfAnEarlierVersion(t *testing.T) {
	r, err := recorded.Read(journal.Manifest{Command: "scan", Options: json.RawMessage(recordedScan)})
	require.NoError(t, err)
	settings, err := r.Scan(setting.Changes{})
	require.NoError(t, err)

	want := *spec.NewScan()
	want.TableName = spec.TableName{Keyspace: "shop", Table: "orders"}
	want.Columns = []string{
		"customer",
		"number",
		"pieces",
	}
	want.Compression = "gzip"
	want.Delimiter = `\t`
	want.Dir = "/data/out"
	want.Format = "tsv"
	want.Hosts, want.Port, want.Rate, want.Seed = []string{"10.0.0.1"}, 42887, 5000, 1<<64-1
	want.Inputs = []string{}
	want.Given = settings.Given
	require.Equal(t, want, settings)
	require.Equal(t, r.Flags, settings.Settings().Record(spec.NewScan().Settings(), settings.Given))
}

// What is not a recorded run is refused, and names what it is about.
func TestRecordedThatCannotBe(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:                             "run.json: json: cannot unmarshal array into Go value of type recorded.Spec",
		`{"flags":{},"args":[]}`:         "run.json: no table is named",
		`{"flags":{},"args":["orders"]}`: `run.json: "orders" is no name of a table`,
		`{"flags":{"frobnicate":["1"]},"args":["shop.orders"]}`: "run.json: there is no flag --frobnicate",
		`{"flags":{"port":["many"]},"args":["shop.orders"]}`:    `run.json: --port: "many" is no whole number: write it as 5000, 5k or 2M`,
	} {
		r, err := recorded.Read(journal.Manifest{Command: "load", Options: json.RawMessage(text)})
		if err == nil {
			_, err = r.Load(setting.Changes{})
		}
		require.EqualError(t, err, want)
	}
}
