package internode

import (
	"context"
	"fmt"
	"time"
)

// Watch is called while a session runs. Its functions may be nil. Several goroutines call them, and
// the session waits for them.
type Watch struct {
	// Sent reports n more bytes that were passed to the network, for plain bytes of a file. Rows
	// are compressed in transit.
	Sent func(n, plain int)
	// Received reports that the node has all of a file, given by its index. It also reports how
	// long that took since the last bytes, at most 64 KiB, were about to be sent.
	Received func(file int, took time.Duration)
	// Alive is called each time that the node has been silent for Timeouts.Complete. It returns nil
	// if the node still works at the session of that plan, and the session then waits as long
	// again. Building indexes may take hours, and nodes since 4.1 send no KeepAlive.
	Alive func(ctx context.Context, plan UUID) error
}

// Stream sends files to a node (address and storage port) in one session. Without an error the
// session is complete: all of the files are in use on that node. An error is an [*Error], and the
// effect of the session is then unknown. plan is the session's id, which nodes write into their
// logs. Each call makes another one.
//
// All goroutines of the session have ended when Stream returns. It returns at once if the context
// ends, except that it waits for a reader of the caller's.
func (c *Client) Stream(
	ctx context.Context,
	node string,
	files []File,
	watch Watch,
) (plan UUID, err error) {
	plan = NewPlan()
	summaries, sequence, err := summarize(files)
	if err != nil {
		return plan, wrap(node, plan, &problem{Source, err})
	}
	o := &outgoing{
		session: newSession(c, node, plan), files: files, sequence: sequence, watch: watch,
		awaited: make(map[fileID]int, len(files)), sent: make([]time.Time, len(files)),
	}
	for i, f := range files {
		o.awaited[fileID{f.Table, sequence[i]}] = i
	}
	return plan, wrap(
		node,
		plan,
		o.run(ctx, func(ctx context.Context) error { return o.converse(ctx, summaries) }),
	)
}

// outgoing is a session in which files are sent. The fields from awaited on belong to the goroutine
// of run. Those before do not change.
type outgoing struct {
	*session
	files    []File
	sequence []int
	watch    Watch

	awaited map[fileID]int // files that are not acknowledged
	sent    []time.Time    // by file: when its last bytes were sent; zero: not yet
	waiting int            // files that are sent and not acknowledged
	moved   time.Time      // when a file was last sent or acknowledged
}

// converse runs the session on an open control connection.
func (o *outgoing) converse(ctx context.Context, summaries []Summary) error {
	if err := o.begin(Init{Operation: Repair}, PrepareSyn{Summaries: summaries}); err != nil {
		return err
	}
	answer, err := o.prepared(ctx, o.client.Timeouts.prepare(preparedToTake))
	if err != nil {
		return err
	}
	if len(answer.Summaries) > 0 {
		return problemf(
			Protocol,
			"the node announces files of %d tables, and none was asked for",
			len(answer.Summaries),
		)
	}
	queue := make(chan int, len(o.files))
	for i := range o.files {
		queue <- i
	}
	close(queue)
	for range min(max(o.client.Connections, 1), len(o.files)) {
		o.wg.Go(func() { o.send(ctx, queue) })
	}
	return o.follow(ctx, o)
}

// patience returns the timeout of what is waited for now.
func (o *outgoing) patience() time.Duration {
	switch {
	case o.watch.Alive != nil:
		return o.client.Timeouts.complete(true)
	case o.waiting > 0:
		return o.client.Timeouts.received()
	case len(o.awaited) == 0:
		return o.client.Timeouts.complete(false)
	default:
		return 0
	}
}

// overdue returns the error of what did not come in time.
func (o *outgoing) overdue(ctx context.Context) error {
	if o.watch.Alive != nil {
		if err := o.watch.Alive(ctx, o.plan); err != nil {
			return problemf(Deadline, "%s: %w", o.behind(), err)
		}
		if o.waiting == 0 || time.Since(o.moved) < o.client.Timeouts.received() {
			return nil
		}
	}
	if len(o.awaited) == 0 {
		return problemf(
			Deadline,
			"the node has all files, and did not complete the session within %s: it may still do so",
			o.client.Timeouts.complete(false),
		)
	}
	return problemf(
		Deadline,
		"the node did not acknowledge %d of %d files within %s",
		o.waiting,
		len(o.files),
		o.client.Timeouts.received(),
	)
}

// behind returns what the node has not done.
func (o *outgoing) behind() string {
	switch {
	case len(o.awaited) == 0:
		return "the node has all files, and did not complete the session"
	case o.waiting > 0:
		return fmt.Sprintf("the node did not acknowledge %d of %d files", o.waiting, len(o.files))
	default:
		return "the node has not taken all files"
	}
}

// fileDone records that the last bytes of a file are about to be sent.
func (o *outgoing) fileDone(file int) {
	o.moved = time.Now()
	o.sent[file] = o.moved
	o.waiting++
}

// handle handles a message while files are sent.
func (o *outgoing) handle(m Message) (done bool, err error) {
	if m == Complete && len(o.awaited) == 0 {
		return true, nil
	}
	received, ok := m.(Received)
	if !ok {
		return false, o.unexpected(m)
	}
	file, known := o.awaited[fileID{received.Table, received.Sequence}]
	if !known || o.sent[file].IsZero() {
		return false, problemf(
			Protocol,
			"the node acknowledges file %d of table %s, which it has not got, or did before",
			received.Sequence,
			received.Table,
		)
	}
	delete(o.awaited, fileID{received.Table, received.Sequence})
	o.waiting--
	o.moved = time.Now()
	if o.watch.Received != nil {
		o.watch.Received(file, time.Since(o.sent[file]))
	}
	return false, nil
}
