package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/run/status"
)

// free is the command "free": it sets FREE to an address with an unused port.
func free(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: free")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv("FREE", l.Addr().String())
	ts.Check(l.Close())
}

// figures are the figures that a run under way shows in one place.
type figures struct {
	Rows, Rejected, Retries, UnderWay int64
	Share                             float64
	Stage                             string // empty: none
	StageShare                        float64
}

// of returns the figures with those of a stage.
func (f figures) of(stage string, share *float64) figures {
	if share != nil {
		f.Stage, f.StageShare = stage, *share
	}
	return f
}

func figuresOf(r *progress.Reading) (f figures, err error) {
	if r == nil || r.Share == nil {
		return f, fmt.Errorf("the reading has no share yet")
	}
	f = figures{
		Rows:     r.Rows,
		Rejected: r.Rejected,
		Retries:  r.Retries,
		UnderWay: r.UnderWay,
		Share:    *r.Share,
	}
	if r.Stage != nil {
		f = f.of(r.Stage.Name, r.Stage.Share)
	}
	return f, nil
}

// agree is the command "agree ADDRESS RUN LOG ROWS [STAGE]". It waits until all figures of a run
// that has stopped at ROWS rows agree: on its page, in its metrics, in its lines of progress and in
// `cqlbulk status`.
func agree(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 && len(args) != 5 {
		ts.Fatalf("usage: agree address run log rows [stage]")
	}
	stage := strings.Join(args[4:], "")
	rows, err := strconv.ParseInt(args[3], 10, 64)
	ts.Check(err)
	var told map[string]figures
	end := time.Now().Add(time.Minute)
	for ; time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if told, err = places(args[0], ts.MkAbs(args[1]), ts.ReadFile(args[2])); err != nil {
			continue
		}
		err = fmt.Errorf("%+v", told)
		page := told["page"]
		if page.Rows == rows && page.Stage == stage &&
			reflect.DeepEqual(
				told,
				map[string]figures{"page": page, "metrics": page, "line": page, "status": page},
			) {
			return
		}
	}
	ts.Fatalf("the figures are not the same: %v", err)
}

// places are the figures of a run in all places.
func places(address, run, log string) (map[string]figures, error) {
	text, err := get(address, "/status.json")
	if err != nil {
		return nil, err
	}
	var page board.State
	if err := json.Unmarshal([]byte(text), &page); err != nil || page.Share == nil {
		return nil, fmt.Errorf("page: %s: %w", text, err)
	}
	metrics, err := get(address, "/metrics")
	if err != nil {
		return nil, err
	}
	metric := func(name string) (sum float64) {
		for _, m := range regexp.MustCompile(`(?m)^cqlbulk_`+name+`(?:\{[^}]*\})? (\S+)$`).FindAllStringSubmatch(metrics, -1) {
			value, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				return -1
			}
			sum += value
		}
		return sum
	}
	status, err := status.Read(run)
	if err != nil {
		return nil, err
	}
	known, err := figuresOf(status.Pace.Now)
	if err != nil {
		return nil, err
	}
	var line struct{ Progress *progress.Reading }
	lines := strings.Split(strings.TrimSpace(log), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &line); err != nil {
		return nil, err
	}
	shown, err := figuresOf(line.Progress)
	onPage := figures{
		Rows:     page.Rows,
		Rejected: page.RejectedRows,
		Retries:  page.Retries,
		UnderWay: page.InFlight,
		Share:    *page.Share,
	}
	if len(page.Stages) > 0 {
		onPage = onPage.of(page.Stages[0].Name, page.Stages[0].Share)
	}
	measured := figures{
		Rows: int64(
			metric("rows_total"),
		),
		Rejected: int64(metric("rejected_rows_total")),
		Retries:  int64(metric("request_retries_total")),
		UnderWay: int64(metric("requests_in_flight")),
		Share:    metric("run_progress_ratio"),
	}
	if stage := regexp.MustCompile(`cqlbulk_run_stage_progress_ratio\{stage="(\w+)"\}`).
		FindStringSubmatch(metrics); stage != nil {
		share := metric("run_stage_progress_ratio")
		measured = measured.of(stage[1], &share)
	}
	return map[string]figures{
		"page": onPage, "status": known, "line": shown, "metrics": measured,
	}, err
}

func get(address, path string) (string, error) {
	answer, err := http.Get("http://" + address + path)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	return string(text), err
}
