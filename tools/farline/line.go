package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"
)

// line hands connections on to a node.
type line struct {
	node        string
	there, back *way
	readdress   readdress
}

func newLine(listen, node string, trip time.Duration, rate float64) (*line, error) {
	from, err := netip.ParseAddrPort(node)
	if err != nil {
		return nil, fmt.Errorf("-node: %w", err)
	}
	to, err := netip.ParseAddrPort(listen)
	if err != nil {
		return nil, fmt.Errorf("-listen: %w", err)
	}
	change, err := newReaddress(from.Addr(), to.Addr())
	return &line{
		node:      node,
		there:     newWay(trip/2, rate),
		back:      newWay(trip-trip/2, rate),
		readdress: change,
	}, err
}

// serve takes connections until the context ends, and waits until all are closed.
func (l *line) serve(ctx context.Context, listener net.Listener) error {
	var all sync.WaitGroup
	defer all.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = listener.Close() })()
	for {
		client, err := listener.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		all.Go(func() { l.connect(ctx, client) })
	}
}

// connect hands one connection on until either side closes it.
func (l *line) connect(ctx context.Context, client net.Conn) {
	node, err := new(net.Dialer).DialContext(ctx, "tcp", l.node)
	if err != nil {
		_ = client.Close()
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer context.AfterFunc(ctx, func() {
		_ = client.Close()
		_ = node.Close()
	})()
	var both sync.WaitGroup
	both.Go(func() {
		defer cancel()
		l.there.carry(ctx, client, node)
	})
	both.Go(func() {
		defer cancel()
		l.back.carry(ctx, l.readdress.reader(node), client)
	})
	both.Wait()
}

// way is one direction of a line. Its connections take turns, a parcel each.
type way struct {
	delay time.Duration
	rate  float64 // bytes a second; 0: no limit

	mu      sync.Mutex
	free    time.Time // when all that was let onto the way has left the sender
	carried int64
}

const (
	// parcel is the most bytes that leave together.
	parcel = 32 << 10
	// waits is how long bytes may wait before a narrow line. The sender feels it when more do.
	waits = 20 * time.Millisecond
	// parcels is the number of parcels of a connection that may be on their way.
	parcels = 4096
)

func newWay(delay time.Duration, rate float64) *way { return &way{delay: delay, rate: rate} }

func (w *way) bytes() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.carried
}

// post lets bytes onto the way. It returns when they arrive, and how long to wait before more.
func (w *way) post(now time.Time, bytes int) (arrives time.Time, wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.carried += int64(bytes)
	if w.free.Before(now) {
		w.free = now
	}
	if w.rate > 0 {
		w.free = w.free.Add(time.Duration(float64(bytes) / w.rate * float64(time.Second)))
	}
	return w.free.Add(w.delay), w.free.Sub(now) - waits
}

// sent is a parcel on its way.
type sent struct {
	bytes   []byte
	arrives time.Time
}

// buffers are of parcels.
var buffers = sync.Pool{New: func() any { return new([parcel]byte) }}

// carry hands on what comes from one side until that ends or the other side takes no more.
func (w *way) carry(ctx context.Context, from io.Reader, to io.Writer) {
	onWay := make(chan sent, parcels)
	var arriving sync.WaitGroup
	defer arriving.Wait()
	defer close(onWay)
	ctx, cancel := context.WithCancel(ctx)
	arriving.Go(func() {
		defer cancel()
		for s := range onWay {
			if ctx.Err() == nil && sleep(ctx, time.Until(s.arrives)) {
				if _, err := to.Write(s.bytes); err != nil {
					cancel()
				}
			}
			buffers.Put((*[parcel]byte)(s.bytes[:parcel]))
		}
	})
	for ctx.Err() == nil {
		buffer := buffers.Get().(*[parcel]byte)
		n, err := from.Read(buffer[:])
		arrives, wait := w.post(time.Now(), n)
		select {
		case onWay <- sent{buffer[:n], arrives}:
		case <-ctx.Done():
		}
		if err != nil || !sleep(ctx, wait) {
			return
		}
	}
}

// sleep waits, and returns false if the context ends before.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
