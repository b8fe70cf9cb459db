package main

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// seed makes the generated files the same everywhere.
const seed = 1

// blobBytes is the length of each blob.
const blobBytes = 34

// column is a column of a table, with its CQL type.
type column struct{ name, typ string }

// dataset is a table and a file for it: comma-separated, with a header in the order of the
// columns, no field quoted.
type dataset struct {
	name    string
	what    string // for the page
	columns []column
	key     string // the primary key as in CQL, without its outer parentheses
	null    string // the text that stands for null, empty where there is none
	ordered bool   // rows of a partition follow one another
	rows    int    // in the file
	file    string // absolute
	copied  string // the same for PostgreSQL, whose blobs are written in another way
}

// The tables that are generated, in the form of testdata/flights.cql.
const (
	empTable = `CREATE TABLE emp (
  id int,
  name text,
  salary bigint,
  PRIMARY KEY (id)
);`
	blobsTable = `CREATE TABLE blobs (
  id int,
  c1 blob,
  c2 blob,
  c3 blob,
  c4 blob,
  c5 blob,
  c6 blob,
  PRIMARY KEY (id)
);`
)

// datasetNames are those of --data.
var datasetNames = []string{"emp", "blobs", "flights"}

// makeDataset returns a dataset with a number of rows. Its files are below folder; makeDataset
// writes those that are not there. root is the repository.
func makeDataset(name, root, folder string, rows int) (*dataset, error) {
	d := &dataset{name: name, rows: rows}
	table, known := map[string]string{"emp": empTable, "blobs": blobsTable, "flights": ""}[name]
	if !known {
		return nil, fmt.Errorf(
			"no dataset %q; there are %s",
			name,
			strings.Join(datasetNames, ", "),
		)
	}
	if name == "flights" {
		text, err := os.ReadFile(filepath.Join(root, "testdata/flights.cql"))
		if err != nil {
			return nil, err
		}
		table = string(text)
	}
	var err error
	if d.columns, d.key, err = parseTable(table); err != nil {
		return nil, fmt.Errorf("table of %s: %w", name, err)
	}
	d.file = filepath.Join(folder, fmt.Sprintf("%s-%d.csv", name, rows))
	d.copied = d.file
	switch name {
	case "emp":
		d.what = "an int as key, in ascending order, a name of up to 11 letters and a bigint"
		return d, generate(d.file, d.columns, rows, empRow)
	case "blobs":
		d.what = fmt.Sprintf(
			"an int as key, in ascending order, and six random blobs of %d bytes",
			blobBytes,
		)
		d.copied = filepath.Join(folder, fmt.Sprintf("%s-%d-bytea.csv", name, rows))
		if err := generate(d.file, d.columns, rows, blobRow("0x")); err != nil {
			return nil, err
		}
		return d, generate(d.copied, d.columns, rows, blobRow(`\x`))
	default:
		d.what = "flights that left New York in 2013 (testdata/README.md): 19 columns, some 300 rows in each partition"
		d.null, d.ordered = "NA", true
		d.rows, err = firstFlights(root, d.file, rows)
		return d, err
	}
}

// parseTable takes a table from a statement that has a column a line and then the primary key.
func parseTable(text string) (columns []column, key string, err error) {
	for line := range strings.Lines(text) {
		line, inside := strings.CutPrefix(strings.TrimRight(line, "\n"), "  ")
		if !inside {
			continue
		}
		if rest, ok := strings.CutPrefix(line, "PRIMARY KEY ("); ok {
			return columns, strings.TrimSuffix(rest, ")"), nil
		}
		name, typ, ok := strings.Cut(strings.TrimSuffix(line, ","), " ")
		if !ok {
			return nil, "", fmt.Errorf("line %q is no column", line)
		}
		columns = append(columns, column{name, typ})
	}
	return nil, "", fmt.Errorf("no primary key")
}

// names gives the columns' names with commas between them.
func (d *dataset) names() string { return d.joined(func(c column) string { return c.name }, ", ") }

func (d *dataset) joined(each func(column) string, separator string) string {
	parts := make([]string, len(d.columns))
	for i, c := range d.columns {
		parts[i] = each(c)
	}
	return strings.Join(parts, separator)
}

// cql is the statement that makes the table.
func (d *dataset) cql() string {
	columns := d.joined(func(c column) string { return c.name + " " + c.typ }, ", ")
	return fmt.Sprintf("CREATE TABLE %s (%s, PRIMARY KEY (%s))", d.table(), columns, d.key)
}

// insert is an INSERT of all columns.
func (d *dataset) insert() string {
	marks := d.joined(func(column) string { return "?" }, ", ")
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", d.table(), d.names(), marks)
}

func (d *dataset) table() string { return keyspace + "." + d.name }

// postgresTypes are PostgreSQL's names of CQL types.
var postgresTypes = map[string]string{
	"int":       "integer",
	"bigint":    "bigint",
	"text":      "text",
	"blob":      "bytea",
	"timestamp": "timestamptz",
}

// sql is the statement that makes the table in PostgreSQL, with the same primary key.
func (d *dataset) sql() string {
	columns := d.joined(func(c column) string { return c.name + " " + postgresTypes[c.typ] }, ", ")
	key := strings.NewReplacer("(", "", ")", "").Replace(d.key)
	return fmt.Sprintf("CREATE TABLE %s (%s, PRIMARY KEY (%s))", d.name, columns, key)
}

func empRow(line []byte, rng *rand.Rand, i int) []byte {
	return fmt.Appendf(line, "%d,name %d,%d", i, rng.IntN(1_000_000), rng.Int64N(10_000_000))
}

// blobRow writes blobs behind a prefix; with the same source it writes the same ones.
func blobRow(prefix string) func([]byte, *rand.Rand, int) []byte {
	return func(line []byte, rng *rand.Rand, i int) []byte {
		line = fmt.Append(line, i)
		var blob [blobBytes]byte
		for range 6 {
			for j := range blob {
				blob[j] = byte(rng.Uint32())
			}
			line = append(append(line, ','), prefix...)
			line = hex.AppendEncode(line, blob[:])
		}
		return line
	}
}

// generate writes a file unless it is there; it appears whole or not at all.
func generate(
	file string,
	columns []column,
	rows int,
	row func([]byte, *rand.Rand, int) []byte,
) error {
	header := (&dataset{columns: columns}).joined(func(c column) string { return c.name }, ",")
	return writeOnce(file, func(put func([]byte)) error {
		put([]byte(header))
		rng := rand.New(rand.NewPCG(seed, 0))
		var line []byte
		for i := range rows {
			line = row(line[:0], rng, i)
			put(line)
		}
		return nil
	})
}

// firstFlights writes the first rows of the flights, or all, and gives their number.
func firstFlights(root, file string, rows int) (int, error) {
	out, err := exec.Command(filepath.Join(root, "testdata/fetch-flights")).Output()
	if err != nil {
		return 0, fmt.Errorf("testdata/fetch-flights: %w", err)
	}
	in, err := os.Open(strings.TrimSpace(string(out)))
	if err != nil {
		return 0, err
	}
	defer func() { _ = in.Close() }() // nothing is lost when a reader does not close well
	lines := bufio.NewScanner(in)
	n := -1 // the header is no row
	err = writeOnce(file, func(put func([]byte)) error {
		for n < rows && lines.Scan() {
			put(lines.Bytes())
			n++
		}
		return lines.Err()
	})
	if err == nil && n < 0 { // it was there
		for n < rows && lines.Scan() {
			n++
		}
		err = lines.Err()
	}
	return n, err
}

// writeOnce makes a file, unless it is there, of the lines that a function puts into it.
func writeOnce(file string, write func(put func(line []byte)) error) (err error) {
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	part, err := os.Create(file + ".part")
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(part, 1<<20)
	err = write(func(line []byte) {
		_, _ = w.Write(line) // it keeps its error for Flush
		_ = w.WriteByte('\n')
	})
	if err := errors.Join(err, w.Flush(), part.Close()); err != nil {
		return err
	}
	return os.Rename(file+".part", file)
}
