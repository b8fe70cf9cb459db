// Command events writes events as CSV, for measurements of how loads and scans grow. A partition
// has 200 rows, each of some 165 bytes of text. Their order has nothing to do with partitions.
// The same number of rows is the same text every time.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"time"
)

// perDevice is how many events a partition has.
const perDevice = 200

// Schema is the table that the events go to, but for its name.
const schema = "(device bigint, at timestamp, kind text, value double, load float, tags set<text>, note text, code int, PRIMARY KEY (device, at))"

func main() {
	rows := flag.Int64("rows", 1_000_000, "how many events")
	table := flag.Bool("table", false, "write the table's columns instead")
	flag.Parse()
	if err := run(os.Stdout, *rows, *table); err != nil {
		fmt.Fprintln(os.Stderr, "events:", err)
		os.Exit(1)
	}
}

func run(to io.Writer, rows int64, table bool) error {
	out := bufio.NewWriterSize(to, 1<<20)
	if table {
		fmt.Fprintln(out, schema)
		return out.Flush()
	}
	fmt.Fprintln(out, "device,at,kind,value,load,tags,note,code")
	step := strideOf(rows)
	random := rand.New(rand.NewPCG(1, uint64(rows)))
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	kinds := []string{"reading", "alarm", "restart", "heartbeat"}
	var line []byte
	for i, at := int64(0), int64(0); i < rows; i, at = i+1, (at+step)%rows {
		line = strconv.AppendInt(line[:0], at/perDevice, 10)
		line = append(line, ',')
		line = begin.Add(time.Duration(at%perDevice)*37*time.Second).
			AppendFormat(line, "2006-01-02 15:04:05.000Z0700")
		line = append(line, ',')
		line = append(line, kinds[random.IntN(len(kinds))]...)
		line = append(line, ',')
		line = strconv.AppendFloat(line, random.NormFloat64()*1000, 'g', -1, 64)
		line = append(line, ',')
		line = strconv.AppendFloat(line, float64(random.Float32()), 'g', -1, 32)
		line = fmt.Appendf(line, ",\"{'zone-%d', 'site-%d'}\",", random.IntN(90), random.IntN(900))
		line = fmt.Appendf(
			line,
			"%016x %016x %08x,%d\n",
			random.Uint64(),
			random.Uint64(),
			random.Uint32(),
			random.IntN(1000),
		)
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// strideOf is a number by which all rows are passed, one after the other far apart: some 0.38 of
// them, without a factor in common.
func strideOf(rows int64) int64 {
	for step := max(rows*382/1000, 1); ; step++ {
		a, b := step, rows
		for b != 0 {
			a, b = b, a%b
		}
		if a == 1 {
			return step
		}
	}
}
