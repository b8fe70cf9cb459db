package web

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress/board"
)

// get asks for a page, by a client of its own, so that no connection is left.
func get(t *testing.T, url string, change ...func(*http.Request)) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
	require.NoError(t, err)
	for _, f := range change {
		f(r)
	}
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	require.NoError(t, err)
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	return answer, string(text)
}

func TestListen(t *testing.T) {
	for _, wrong := range []string{"", ":", "localhost", "a:b:c", ":http", "1.2.3.4", ":99999", "127.0.0.1:-1"} {
		_, err := Listen(wrong)
		require.ErrorContains(t, err, `"`+wrong+`": must be HOST:PORT`, wrong)
	}
	for _, right := range []string{":0", "0", "127.0.0.1:0", "[::1]:0", "localhost:0"} {
		s, err := Listen(right)
		if right == "[::1]:0" && err != nil {
			continue // there is no IPv6 here
		}
		require.NoError(t, err, right)
		require.True(t, s.local, right)
		_, err = Listen(strings.TrimSuffix(strings.TrimPrefix(s.URL(), "http://"), "/"))
		require.ErrorContains(t, err, "cannot listen there: bind: address already in use")
		s.Close()
	}
}

func TestPages(t *testing.T) {
	w, _ := newRun(t)
	s := serve(t, w)
	defer s.Close()
	answer, text := get(t, s.URL())
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.Contains(t, answer.Header.Get("Content-Security-Policy"), "default-src 'none'")
	for _, part := range []string{
		`load <b class="table">shop.orders</b>`, "Running: 25.0\u00a0% done", "So far 42 rows were rejected and 1 token range failed.", "1,234,567", "567 by an earlier run",
		"25.0 %", "9.0 MiB", "a: 50.0 % read", "in.csv:7:3", "cqlbulk load shop.orders in.csv", "cqlbulk resume a-run", "and 2 more files",
	} {
		require.Contains(t, text, part)
	}
	require.NotContains(t, text, "<script>document")
	require.NotContains(t, text, "<img")

	answer, text = get(t, s.URL()+"status.json")
	require.Equal(t, "application/json", answer.Header.Get("Content-Type"))
	var state board.State
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&state))
	require.Equal(t, board.StateVersion, state.Version)
	require.Equal(t, board.Running, state.Phase)
	require.InDelta(t, 0.25, *state.Share, 0.001)
	require.Equal(t, causes(), state.Rejects)
	require.Equal(t, []board.GateState{{Node: "a", Limit: 7, InFlight: 1}}, state.Gates)

	_, text = get(t, s.URL()+"healthz")
	require.Equal(t, "ok running\n", text)
	for path, kind := range map[string]string{"page.css": "text/css", "page.js": "text/javascript", "metrics": "text/plain"} {
		answer, _ = get(t, s.URL()+path)
		require.Equal(t, http.StatusOK, answer.StatusCode)
		require.Contains(t, answer.Header.Get("Content-Type"), kind)
	}
	answer, _ = get(t, s.URL()+"other")
	require.Equal(t, http.StatusNotFound, answer.StatusCode)
}

// A page from elsewhere whose name leads to this host learns nothing.
func TestNamesOfOthers(t *testing.T) {
	w, _ := newRun(t)
	s := serve(t, w)
	defer s.Close()
	for host, status := range map[string]int{
		"evil.example": http.StatusForbidden, "evil.example:80": http.StatusForbidden, "10.0.0.1": http.StatusForbidden,
		"localhost": http.StatusOK, "LOCALHOST:1": http.StatusOK, "127.0.0.1:5": http.StatusOK, "[::1]:80": http.StatusOK, "[::1]": http.StatusOK,
	} {
		answer, text := get(t, s.URL()+"status.json", func(r *http.Request) { r.Host = host })
		require.Equal(t, status, answer.StatusCode, host)
		require.Equal(t, status == http.StatusOK, strings.Contains(text, "shop.orders"), host)
	}
}

func TestConnecting(t *testing.T) {
	w := newWatch()
	s := serve(t, w)
	defer s.Close()
	_, text := get(t, s.URL())
	require.Contains(t, text, "connecting")
	_, text = get(t, s.URL()+"metrics")
	require.Contains(t, text, `cqlbulk_run_phase{phase="connecting"} 1`)
	w.End(board.Failed, "no node answers")
	_, text = get(t, s.URL())
	require.Contains(t, text, "no node answers")
}

// event is what a browser that follows a run is sent.
type event struct {
	kind string
	changes
}

// followed gives the events of a run until the server ends.
func followed(t *testing.T, body io.Reader) []event {
	t.Helper()
	var all []event
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if kind, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			all = append(all, event{kind: kind})
		}
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			require.NoError(t, json.Unmarshal([]byte(data), &all[len(all)-1].changes))
		}
	}
	require.NoError(t, lines.Err())
	return all
}

// Who follows the run is shown its end, which closes the server.
func TestFollowedToTheEnd(t *testing.T) {
	w, b := newRun(t)
	s := serve(t, w)
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get(
		s.URL() + "events",
	)
	require.NoError(t, err)
	defer answer.Body.Close()
	go func() {
		soon(t, func() bool { return len(s.followers) == 1 })
		b.Counters.Rows.Store(2_000_567)
		w.End(board.Partly, "")
		s.Close()
	}()
	events := followed(t, answer.Body)
	require.Equal(t, "state", events[0].kind)
	last := events[len(events)-1]
	require.Equal(t, "end", last.kind)
	require.Contains(t, last.Title, "incomplete: load shop.orders")
	shown := make(map[string]string)
	for _, e := range events {
		for name, html := range e.Parts {
			shown[name] = string(html)
		}
	}
	require.Contains(t, shown["head"], "Done, but not for all")
	require.Contains(t, shown["main"], "2,000,567")
	require.Len(t, events[0].Parts, len(partNames), "a browser begins with all parts")
	require.NotContains(t, last.Parts, "log", "what did not change is not sent again")
	for _, html := range shown {
		require.NotContains(t, html, "<script")
	}
}

// Browsers that leave, and browsers that read nothing, delay no other. The number of connections is
// limited.
func TestBrowsersThatLeave(t *testing.T) {
	w, _ := newRun(t)
	s := serve(t, w)
	var open []net.Conn
	for range mostFollowers {
		c, err := net.Dial("tcp", s.listener.Addr().String())
		require.NoError(t, err)
		_, err = io.WriteString(c, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
		require.NoError(t, err)
		open = append(open, c)
	}
	soon(t, func() bool { return len(s.followers) == mostFollowers })
	answer, _ := get(t, s.URL()+"events")
	require.Equal(t, http.StatusServiceUnavailable, answer.StatusCode)
	for _, c := range open[1:] {
		require.NoError(t, c.Close())
	}
	soon(t, func() bool { return len(s.followers) == 1 })
	_, text := get(t, s.URL()+"healthz")
	require.Equal(t, "ok running\n", text)
	s.Close() // the last one has not read
	require.NoError(t, open[0].Close())
}
