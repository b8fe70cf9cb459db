// Command pointreads plays an application beside a scan: it reads single
// partitions of the sample table at a fixed rate and says how long they took. A
// read's time runs from the moment it was due, not from when it could be sent, so
// that a cluster that stalls is not measured by the reads it let through.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/driver"
)

func main() {
	hosts := flag.String("hosts", "127.0.0.1", "contact points, separated by commas")
	rate := flag.Int("rate", 200, "reads a second")
	seconds := flag.Int("seconds", 20, "how long")
	flag.Parse()
	if err := run(context.Background(), strings.Split(*hosts, ","), *rate, *seconds); err != nil {
		fmt.Fprintln(os.Stderr, "pointreads:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, hosts []string, rate, seconds int) error {
	session, err := driver.Connect(ctx, driver.Config{Hosts: hosts})
	if err != nil {
		return err
	}
	defer session.Close()
	n := rate * seconds
	latencies := make([]time.Duration, n)
	var failed sync.Map
	var reads sync.WaitGroup
	begin := time.Now()
	for i := range n {
		due := begin.Add(time.Duration(i) * time.Second / time.Duration(rate))
		time.Sleep(time.Until(due))
		reads.Go(func() {
			if err := read(ctx, session); err != nil {
				failed.Store(i, err)
			}
			latencies[i] = time.Since(due)
		})
	}
	reads.Wait()
	failures := 0
	failed.Range(func(any, any) bool { failures++; return true })
	slices.Sort(latencies)
	at := func(share float64) time.Duration {
		return latencies[int(share*float64(n-1))].Round(10 * time.Microsecond)
	}
	fmt.Printf("%d reads, %d failed: p50 %v, p99 %v, longest %v\n", n, failures, at(0.5), at(0.99), at(1))
	return nil
}

// read reads the first row of a random day at a random airport.
func read(ctx context.Context, s *driver.Session) error {
	airport := []string{"JFK", "LGA", "EWR"}[rand.N(3)]
	return s.Exec(ctx, "SELECT * FROM demo.flights WHERE origin = ? AND month = ? AND day = ? LIMIT 1", airport, 1+rand.N(12), 1+rand.N(28))
}
