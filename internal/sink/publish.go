package sink

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/store"
)

// sentAtOnce is how many files are sent to a store other than the disk at the same time.
const sentAtOnce = 4

// fileKey is a file of a series, by its number from 1.
type fileKey struct{ worker, number int }

// publisher gives files their names while the output is written. The zero publisher is ready.
type publisher struct {
	once    sync.Once
	ctx     context.Context
	cancel  context.CancelFunc
	sending sync.WaitGroup
	free    chan struct{} // takes what sends

	mu   sync.Mutex
	seen map[fileKey]bool // that are sent, or were
	done []fileKey
	err  error // the first
}

func (p *publisher) begin() {
	p.once.Do(func() {
		p.ctx, p.cancel = context.WithCancel(context.Background())
		p.free = make(chan struct{}, sentAtOnce)
		p.seen = make(map[fileKey]bool)
	})
}

// skip has a file taken as sent.
func (p *publisher) skip(worker, number int) { p.isNew(fileKey{worker, number}) }

// isNew reports whether a file is neither sent nor being sent, and takes it as such from now on.
func (p *publisher) isNew(k fileKey) bool {
	p.begin()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen[k] {
		return false
	}
	p.seen[k] = true
	return true
}

// send sends a file in a goroutine.
func (p *publisher) send(k fileKey, publish func(context.Context) error) {
	p.sending.Go(func() {
		p.free <- struct{}{}
		defer func() { <-p.free }()
		err := p.ctx.Err()
		if err == nil {
			err = publish(p.ctx)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		switch {
		case err == nil:
			p.done = append(p.done, k)
		case p.err == nil:
			p.err = err
		}
	})
}

// stop ends what is being sent.
func (p *publisher) stop() {
	p.begin()
	p.cancel()
}

// failed returns why a file was not sent.
func (p *publisher) failed() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Recorded is called when a journal has a mark. If the output is not on the disk, it begins to send
// the files that are finished in the mark. An error shows in a later Mark, or in Complete.
func (o *Output) Recorded(m *Mark) {
	if m == nil || !o.options.early() {
		return
	}
	for _, s := range m.Series {
		for _, f := range s.Done {
			k := fileKey{s.Worker, f.Number}
			if !o.sent.isNew(k) {
				continue
			}
			at := (&series{output: o, worker: s.Worker}).where(f.Number)
			o.sent.send(k, func(ctx context.Context) error {
				// Another run may have put its own file there.
				if err := o.checkContent(at.partPath(), f); err != nil {
					return err
				}
				if err := o.store.Publish(ctx, at.path()); err != nil {
					return fmt.Errorf("output %s: %w", at, err)
				}
				return nil
			})
		}
	}
}

// waitForSent waits for what is being sent, and notes which files have their names. No Write runs.
func (o *Output) waitForSent() error {
	o.sent.begin()
	o.sent.sending.Wait()
	for _, k := range o.sent.done {
		for _, s := range o.series {
			if s.worker == k.worker {
				s.setNamed(k.number - 1)
			}
		}
	}
	o.sent.done = nil
	return o.sent.failed()
}

// publishAll gives the files their names that have none. It returns how many have one.
func (o *Output) publishAll(all []partAt) (named int, err error) {
	group, ctx := errgroup.WithContext(context.Background())
	group.SetLimit(1)
	if o.options.Spool != nil {
		group.SetLimit(sentAtOnce)
	}
	var mu sync.Mutex
	var published []partAt
	for _, at := range all {
		p := at.part()
		if p.named {
			named++
			continue
		}
		group.Go(func() error {
			if ctx.Err() != nil {
				return nil // another one failed
			}
			if err := o.store.Publish(context.WithoutCancel(ctx), p.path()); err != nil {
				return fmt.Errorf("output %s: %w", &p, err)
			}
			mu.Lock()
			defer mu.Unlock()
			published = append(published, at)
			return nil
		})
	}
	err = group.Wait()
	for _, at := range published {
		at.series.setNamed(at.index)
	}
	return named + len(published), err
}

// refuseOthers returns an error if another scan has written into a folder that is not on the disk.
// It was empty, and two hosts may have begun at once.
func (o *Output) refuseOthers(parts []partAt) error {
	if !o.options.early() || !o.options.Dir {
		return nil
	}
	entries, err := o.store.List(context.Background(), o.folder)
	if err != nil {
		return fmt.Errorf("output folder %s: %w", o.folder, err)
	}
	ours := make(map[string]bool)
	for _, at := range parts {
		ours[at.name()] = true
	}
	own := o.options.ownNames()
	for _, e := range entries {
		if e.Kind == store.Object && own.MatchString(e.Base()) && !ours[e.Base()] {
			return fmt.Errorf(
				"output folder %s: another scan has written %s: scan into a folder of its own",
				o.folder,
				e.Base(),
			)
		}
	}
	return nil
}

// RemoveParts removes the files that have no final name, of an output that was ended.
func (o *Output) RemoveParts() error {
	var first error
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, at := range o.parts() {
		p := at.part()
		if p.named || p.isStream() {
			continue
		}
		err := o.store.Remove(context.Background(), p.partPath())
		if err != nil && first == nil {
			first = err
		}
	}
	return first
}
