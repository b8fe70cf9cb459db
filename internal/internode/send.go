package internode

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// sender sends files over one connection.
type sender struct {
	s     *outgoing
	link  *link
	plain []byte
	comp  *compressor
}

// send sends files of the queue over a connection of its own, which then stays open.
func (s *outgoing) send(ctx context.Context, queue <-chan int) {
	var w *sender
	for i := range queue {
		if w == nil {
			l, err := s.open(ctx)
			if err != nil {
				s.emit(event{err: err})
				return
			}
			w = &sender{s: s, link: l, plain: make([]byte, blockLen), comp: newCompressor()}
		}
		if err := w.file(ctx, i); err != nil {
			s.emit(event{err: err})
			return
		}
	}
}

func (w *sender) file(ctx context.Context, i int) error {
	f := &w.s.files[i]
	head := &FileHead{
		Table:    f.Table,
		From:     w.s.from,
		Plan:     w.s.plan,
		Sequence: w.s.sequence[i],
		Version:  rowsVersion,
		Format:   formatBig,
		Keys:     f.Keys,
		Header:   f.Header,
	}
	if f.Whole == nil {
		head.Sections = []Section{{To: f.Length}}
	} else {
		head.Version, head.FirstKey = f.Whole.Version, f.Whole.FirstKey
		head.Manifest = f.Whole.manifest()
	}
	if err := w.write(ctx, Append(nil, head), 0, nil); err != nil {
		return err
	}
	last := func() error {
		if !w.s.emit(event{file: i}) {
			return errOver
		}
		return nil
	}
	if f.Whole == nil {
		return w.part(
			ctx,
			part{
				what:   fmt.Sprintf("file %d", i),
				open:   f.Open,
				length: f.Length,
				blocks: true,
				last:   last,
			},
		)
	}
	for n, c := range f.Whole.Components {
		p := part{
			what:   fmt.Sprintf("component %s of file %d", c.Name, i),
			open:   c.Open,
			length: c.Size,
		}
		if n == len(f.Whole.Components)-1 {
			p.last = last
		}
		if err := w.part(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// part is a run of bytes that are sent together.
type part struct {
	what   string
	open   func() (io.ReadCloser, error)
	length int64
	blocks bool
	last   func() error // called before the last bytes are sent; may be nil
}

// part sends length bytes of a reader, which must end there.
func (w *sender) part(ctx context.Context, p part) (err error) {
	r, err := p.open()
	if err != nil {
		return problemf(Source, "%s: %w", p.what, err)
	}
	defer func() {
		if e := r.Close(); e != nil && err == nil {
			err = problemf(Source, "%s: %w", p.what, e)
		}
	}()
	for left := p.length; left > 0; {
		b := w.plain[:min(left, int64(len(w.plain)))]
		if n, err := io.ReadFull(r, b); err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				return problemf(Source, "%s: %w", p.what, err)
			}
			return problemf(
				Source,
				"%s ends %d bytes before its %d bytes do",
				p.what,
				left-int64(n),
				p.length,
			)
		}
		left -= int64(len(b))
		plain := len(b)
		var last func() error
		if left == 0 {
			if err := ended(r, p); err != nil {
				return err
			}
			last = p.last
		}
		if p.blocks {
			if b, err = w.comp.block(b); err != nil {
				return problemf(Source, "%s: %w", p.what, err)
			}
		}
		if err := w.write(ctx, b, plain, last); err != nil {
			return err
		}
	}
	return nil
}

// ended returns an error unless the reader is at its end. It is called before the last bytes are
// sent, so that a file that is longer than announced is never sent completely.
func ended(r io.Reader, p part) error {
	var more [1]byte
	switch _, err := io.ReadFull(r, more[:]); {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil:
		return problemf(Source, "%s is longer than its %d bytes", p.what, p.length)
	default:
		return problemf(Source, "%s: %w", p.what, err)
	}
}

// write sends bytes as fast as the limiter allows. It calls before, unless that is nil, when they
// may be sent. plain is the number of a file's bytes in them.
func (w *sender) write(ctx context.Context, b []byte, plain int, before func() error) error {
	if err := w.s.client.wait(ctx, len(b)); err != nil {
		return &problem{Canceled, err}
	}
	if before != nil {
		if err := before(); err != nil {
			return err
		}
	}
	if err := w.s.write(w.link, b); err != nil {
		return err
	}
	if w.s.watch.Sent != nil {
		w.s.watch.Sent(len(b), plain)
	}
	return nil
}
