package internode

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Content is what the Body of a [Delivery] has.
type Content uint8

// The kinds of content.
const (
	// Partitions: the sections' bytes, end to end, uncompressed.
	Partitions Content = iota + 1
	// Chunks: the compressed chunks of the sections as in Data.db, each with its checksum, end to
	// end. A chunk that two sections share comes once. The head has their positions.
	Chunks
	// WholeData: all of Data.db of an entire SSTable, compressed or not, as the head says. CRC.db
	// goes to Delivery.Sums. What is needed of the other components is in the head.
	WholeData
)

// Delivery is a file that a node sends.
type Delivery struct {
	*FileHead
	Content Content
	// Size is the number of bytes that Body returns. If there are fewer, Body returns an error,
	// which ends the session.
	Size int64
	Body io.Reader
	// Sums is called with CRC.db of an entire uncompressed SSTable, the checksums of the blocks of
	// its Data.db. The call comes after the receiver has returned, so the receiver may set Sums. An
	// error of Sums counts as the receiver's. Nodes do not verify these checksums when they send
	// the file.
	Sums func(crc []byte) error
}

// Receiver takes a file. It must store all of it before it returns nil, since the node is then
// allowed to drop the file. Several goroutines call it at the same time, one for each connection
// that the node has opened. The context is the session's.
//
// It should read the bytes as fast as they come, for example to a disk. A node that waits in the
// middle of a file does not send files to other nodes either.
type Receiver func(ctx context.Context, file *Delivery) error

// Discard is a receiver that keeps nothing.
func Discard(_ context.Context, file *Delivery) error {
	_, err := io.Copy(io.Discard, file.Body)
	return err
}

// errOver ends a goroutine of a session that has ended. It is not reported.
var errOver = &problem{Canceled, context.Canceled}

// receive takes the files that come on a connection, until that ends.
func (s *incoming) receive(l *link) {
	for {
		l.waits.limit = 0
		if _, err := l.in.Peek(1); err != nil {
			return // between two files: the control connection reports the reason
		}
		l.waits.limit = s.client.Timeouts.stall()
		if err := s.next(l); err != nil {
			s.emit(event{err: err})
			return
		}
	}
}

// next takes a message that has begun.
func (s *incoming) next(l *link) error {
	m, err := Read(l.in)
	if err != nil {
		return s.broken(err)
	}
	head, ok := m.(*FileHead)
	switch {
	case m == KeepAlive:
		return nil
	case !ok:
		return s.unexpected(m)
	}
	if err := s.file(head, l.in); err != nil {
		return err
	}
	return s.write(s.control, Append(nil, Received{head.Table, head.Sequence}))
}

// broken returns the problem of a connection that could not be read in the middle of a file.
func (s *incoming) broken(err error) error {
	switch {
	case timedOut(err):
		return problemf(
			Deadline,
			"the node sent nothing for %s in the midst of a file",
			s.client.Timeouts.stall(),
		)
	case errors.Is(err, errMalformed):
		return err
	default:
		return lost(err)
	}
}

// file passes a file to the receiver.
func (s *incoming) file(head *FileHead, r io.Reader) error {
	d := &Delivery{FileHead: head, Content: Partitions, Size: head.Length()}
	switch {
	case head.Manifest != nil:
		d.Content = WholeData
	case head.Compression != nil:
		d.Content, d.Size = Chunks, head.Compression.stored()
	default:
		r = NewBlocks(r, d.Size)
	}
	if err := s.admit(head); err != nil {
		return err
	}
	if !s.emit(event{file: fileBegins}) {
		return errOver
	}
	err := s.deliver(d, r)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.fetched.Files++
	s.fetched.Bytes += d.Size
	s.mu.Unlock()
	// The node gets the acknowledgement afterwards. So it cannot complete a session while events of
	// its files are on their way.
	if !s.emit(event{file: fileIsHere}) {
		return errOver
	}
	return nil
}

// admit refuses a file that was not announced, or is of another session.
func (s *incoming) admit(head *FileHead) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, parts := s.tables[head.Table], max(len(head.Manifest), 1)
	switch {
	case head.Plan != s.plan || !head.Asked:
		return problemf(
			Protocol,
			"the node sent a file of plan %s, and was asked for one of %s",
			head.Plan,
			s.plan,
		)
	case t == nil || parts > t.parts:
		return problemf(
			Protocol,
			"the node sent more files of table %s than it announced",
			head.Table,
		)
	case t.begun[head.Sequence]:
		return problemf(
			Protocol,
			"the node sent file %d of table %s twice",
			head.Sequence,
			head.Table,
		)
	}
	t.begun[head.Sequence] = true
	t.parts -= parts
	return nil
}

// deliver reads the payload of a file, and passes the content to the receiver.
func (s *incoming) deliver(d *Delivery, r io.Reader) error {
	if d.Content != WholeData {
		return s.give(d, r, d.Size)
	}
	found := false
	var sums []byte
	for _, c := range d.Manifest {
		var err error
		switch {
		case c.Name == dataComponent && found:
			return problemf(Protocol, "the node sent component %s twice", c.Name)
		case c.Name == dataComponent:
			found, d.Size = true, c.Size
			err = s.give(d, r, c.Size)
		case c.Name == sumsComponent && c.Size <= maxSums:
			sums = make([]byte, c.Size)
			err = s.fill(r, sums)
		default:
			err = s.drop(r, c.Size)
		}
		if err != nil {
			return err
		}
	}
	if !found {
		return problemf(Protocol, "the node sent an entire SSTable without %s", dataComponent)
	}
	if sums != nil && d.Sums != nil {
		if err := d.Sums(sums); err != nil {
			return &problem{Sink, err}
		}
	}
	return nil
}

// fill reads all of b.
func (s *incoming) fill(r io.Reader, b []byte) error {
	in := &body{r: r, left: int64(len(b))}
	if _, err := io.ReadFull(in, b); err != nil {
		return s.broken(err)
	}
	return nil
}

// give passes size bytes to the receiver.
func (s *incoming) give(d *Delivery, r io.Reader, size int64) error {
	b := &body{r: r, left: size}
	d.Body = b
	err := s.receiver(s.ctx, d)
	switch {
	case b.err != nil:
		return s.broken(b.err)
	case err != nil:
		return &problem{Sink, err}
	case b.left > 0:
		return problemf(Sink, "%d of %d bytes of a file were not taken", b.left, size)
	default:
		return nil
	}
}

// drop reads and drops size bytes.
func (s *incoming) drop(r io.Reader, size int64) error {
	b := &body{r: r, left: size}
	if _, err := io.Copy(io.Discard, b); err != nil {
		return s.broken(err)
	}
	return nil
}

// body reads the bytes of a file, and remembers its error.
type body struct {
	r    io.Reader
	left int64
	err  error
}

// Read reads bytes of the file.
func (b *body) Read(p []byte) (int, error) {
	switch {
	case b.err != nil:
		return 0, b.err
	case b.left == 0:
		return 0, io.EOF
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err != nil && b.left > 0 {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		b.err = fmt.Errorf("with %d bytes of the file to come: %w", b.left, err)
		return n, b.err
	}
	return n, nil
}
