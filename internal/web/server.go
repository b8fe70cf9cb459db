package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/progress/board"
)

// The server's limits for its clients: the longest time for a request to arrive, for a client to
// read, and for a connection to be idle.
const (
	requestTime = 5 * time.Second
	answerTime  = 10 * time.Second
	idleTime    = time.Minute
	closeTime   = 2 * time.Second
)

// mostFollowers is how many browsers may follow a run at once.
const mostFollowers = 16

// Server serves the page of a run.
type Server struct {
	watch     *board.Watch
	listener  net.Listener
	server    *http.Server
	stop      context.CancelFunc
	running   sync.WaitGroup
	ended     chan struct{}
	followers chan struct{}
	local     bool // only this host can reach it
}

// Listen takes an address to serve a run at: HOST:PORT, or :PORT or PORT alone for this host only.
// Port 0 takes one that is free. It fails where the address is none, or is taken.
func Listen(address string) (*Server, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil && !strings.Contains(address, ":") {
		host, port, err = "", address, nil
	}
	if _, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil {
		return nil, fmt.Errorf("%q: must be HOST:PORT, or :PORT for this host alone", address)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		var what *net.OpError
		if errors.As(err, &what) {
			err = what.Err
		}
		return nil, fmt.Errorf("%q: cannot listen there: %w", address, err)
	}
	s := &Server{
		listener:  listener,
		ended:     make(chan struct{}),
		followers: make(chan struct{}, mostFollowers),
	}
	if at, err := netip.ParseAddrPort(listener.Addr().String()); err == nil {
		s.local = at.Addr().IsLoopback()
	}
	return s, nil
}

// URL is where the page is.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/" }

// Serve shows a run, in goroutines of its own, until Close is called.
func (s *Server) Serve(w *board.Watch) {
	s.watch = w
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc("GET /events", s.follow)
	mux.HandleFunc("GET /status.json", s.status)
	mux.HandleFunc("GET /healthz", s.health)
	mux.Handle("GET /metrics", metricsOf(w))
	mux.Handle("GET /page.css", static("text/css; charset=utf-8", pageCSS))
	mux.Handle("GET /page.js", static("text/javascript; charset=utf-8", pageJS))
	s.server = &http.Server{
		Handler: s.guarded(
			mux,
		),
		ReadHeaderTimeout: requestTime,
		ReadTimeout:       requestTime,
		WriteTimeout:      answerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    16 << 10,
	}
	s.running.Go(func() { w.Run(ctx) })
	s.running.Go(func() { _ = s.server.Serve(s.listener) }) // the error is that it was closed
}

// Close ends the server. Browsers that follow the run are shown its last state.
func (s *Server) Close() {
	if s.server == nil {
		_ = s.listener.Close()
		return
	}
	close(s.ended)
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if s.server.Shutdown(ctx) != nil {
		_ = s.server.Close() // of who does not take what is left
	}
	s.stop()
	s.running.Wait()
}

// guarded adds what keeps a page from doing harm. A server for this host alone answers no browser
// that came by another name: that is how a page from elsewhere would read it.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set(
			"Content-Security-Policy",
			"default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if s.local && !isLocal(r.Host) {
			http.Error(
				w,
				"this page is for its own host: ask for it as localhost",
				http.StatusForbidden,
			)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isLocal says whether a host, with or without a port, is this one.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	at, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && at.IsLoopback()
}

func (s *Server) page(w http.ResponseWriter, _ *http.Request) {
	text, err := renderPage(s.watch.State())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(text) // who does not take it has left
}

func (s *Server) status(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	_ = e.Encode(s.watch.State())
}

// health reports that the program runs. Whether its run goes well is in /status.json.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintln(w, "ok", s.watch.State().Phase)
}

// follow sends the state as it changes, as server-sent events, until the browser leaves or the run
// ends.
func (s *Server) follow(w http.ResponseWriter, r *http.Request) {
	select {
	case s.followers <- struct{}{}:
		defer func() { <-s.followers }()
	default:
		http.Error(w, "too many browsers follow this run", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	has := make(follower)
	for {
		changed := s.watch.Changed()
		if s.send(w, "state", has) != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-s.ended:
			_ = s.send(w, "end", has)
			return
		case <-changed:
		}
	}
}

// send sends what a browser lacks of the state, as an event.
func (s *Server) send(w http.ResponseWriter, event string, has follower) error {
	lacks, err := has.changes(s.watch.State())
	if err != nil {
		return err
	}
	data, err := lacks.line()
	if err != nil {
		return err
	}
	c := http.NewResponseController(w)
	if err := c.SetWriteDeadline(time.Now().Add(answerTime)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n", event, data); err != nil {
		return err
	}
	return c.Flush()
}

func static(kind, text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write([]byte(text))
	})
}
