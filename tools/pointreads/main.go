// Command pointreads plays an application beside a run. It reads single partitions of the sample
// table at a fixed rate, and prints how long the reads took. A read's time runs from the moment it
// was due, not from when it could be sent. So a cluster that stalls is not measured only by the
// reads that it let through. With a command it reads until that ends. It counts the seconds whose
// p99 is above the target, from the third second of the command on.
//
//	pointreads -hosts 127.0.0.1 -target 10ms -- bin/cqlbulk count demo.flights --target-p99 10ms
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/driver"
)

func main() {
	hosts := flag.String("hosts", "127.0.0.1", "contact points, separated by commas")
	rate := flag.Int("rate", 200, "reads a second")
	most := flag.Duration(
		"most",
		20*time.Second,
		"how long; beside a command: at most how long, and then the command is interrupted",
	)
	target := flag.Duration("target", 0, "p99 of a second that counts as above")
	flag.Parse()
	if err := run(
		context.Background(),
		strings.Split(*hosts, ","),
		*rate,
		*most,
		*target,
		flag.Args(),
	); err != nil {
		fmt.Fprintln(os.Stderr, "pointreads:", err)
		os.Exit(1)
	}
}

func run(
	ctx context.Context,
	hosts []string,
	rate int,
	most, target time.Duration,
	command []string,
) error {
	session, err := driver.Connect(ctx, driver.Config{Hosts: hosts})
	if err != nil {
		return err
	}
	defer session.Close()
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	ended := make(chan error, 1)
	if len(command) > 0 {
		go func() {
			defer cancel()
			ended <- beside(ctx, command)
		}()
	} else {
		ended <- nil
	}
	reads := readAll(ctx, session, rate)
	fmt.Println(reads.line(target))
	return <-ended
}

// beside runs a command until it ends, or is interrupted when the context ends.
func beside(ctx context.Context, command []string) error {
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Stdout, c.Stderr = os.Stderr, os.Stderr // ours is for the reads
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	if err := c.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s: %w", command[0], err)
	}
	return nil
}

// readAll reads until the context ends.
func readAll(ctx context.Context, session *driver.Session, rate int) *measured {
	m := &measured{begin: time.Now()}
	var reads sync.WaitGroup
	defer reads.Wait()
	for i := 0; ctx.Err() == nil; i++ {
		due := m.begin.Add(time.Duration(i) * time.Second / time.Duration(rate))
		time.Sleep(time.Until(due))
		reads.Go(func() {
			// A read that is due is read to its end.
			err := read(context.WithoutCancel(ctx), session)
			m.add(due, time.Since(due), err)
		})
	}
	return m
}

// read reads the first row of a random day at a random airport.
func read(ctx context.Context, s *driver.Session) error {
	airport := []string{"JFK", "LGA", "EWR"}[rand.N(3)]
	return s.Exec(
		ctx,
		"SELECT * FROM demo.flights WHERE origin = ? AND month = ? AND day = ? LIMIT 1",
		airport,
		1+rand.N(12),
		1+rand.N(28),
	)
}
