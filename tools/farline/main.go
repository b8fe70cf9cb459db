// Command farline is a line to a node far away. It accepts connections, and forwards what comes in
// to the node, and the node's answers back. Both take half of a round trip, at no more than a rate.
// All connections share the rate, each direction for itself. The node's address in its answers
// becomes the line's, so that a client of a cluster of one node does not go round the line. When it
// is interrupted it prints how many bytes went to the node and came back.
//
//	farline -listen 127.0.0.9:9042 -node 127.0.0.1:9042 -trip 50ms -rate 10000000
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	listen := flag.String("listen", "127.0.0.9:9042", "address to take connections at")
	node := flag.String("node", "127.0.0.1:9042", "address to hand them on to")
	trip := flag.Duration("trip", 50*time.Millisecond, "time that a round trip takes")
	rate := flag.Float64("rate", 10e6, "bytes a second in each direction; 0: no limit")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *listen, *node, *trip, *rate); err != nil {
		fmt.Fprintln(os.Stderr, "farline:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, listen, node string, trip time.Duration, rate float64) error {
	l, err := newLine(listen, node, trip, rate)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return err
	}
	err = l.serve(ctx, listener)
	fmt.Printf("%d bytes to the node, %d bytes back\n", l.there.bytes(), l.back.bytes())
	return err
}
