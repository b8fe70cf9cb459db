package dsv

import (
	"fmt"
	"io"
)

// window is the part of the stream that the Splitter holds.
type window struct {
	r     io.Reader
	chunk int    // bytes to hold where no record is longer
	limit int    // the most bytes to hold
	first int    // bytes to make room for at first
	buf   []byte // buf[head:] is held
	head  int
	base  int64 // offset of buf[0] in the stream
	begun bool  // the byte order mark was looked for
	eof   bool  // nothing follows buf
	err   error // from the reader, due once its bytes were handed out
}

// leastWindow is the number of bytes that a window has room for at least, unless its limit is lower.
const leastWindow = 64

// offset returns where buf[i] is in the stream.
func (w *window) offset(i int) int64 { return w.base + int64(i) }

// fill reads on, at least one byte unless the stream ends or fails. It returns
// by how much the indexes of the bytes already held have gone down.
func (w *window) fill() (dropped int, err error) {
	dropped = w.makeRoom()
	to := cap(w.buf)
	if len(w.buf)-w.head <= w.chunk {
		to = min(to, w.head+w.chunk+1)
	} else {
		to = min(to, len(w.buf)+w.chunk+1) // what follows a long record is copied: see part
	}
	if err := w.read(to); err != nil || w.begun {
		return dropped, err
	}
	w.begun = true
	for len(w.buf) < len(bom) && !w.eof {
		if err := w.read(cap(w.buf)); err != nil {
			return dropped, err
		}
	}
	if len(w.buf) >= len(bom) && string(w.buf[:len(bom)]) == bom {
		n := copy(w.buf, w.buf[len(bom):])
		w.buf = w.buf[:n]
		w.base = int64(len(bom))
	}
	return dropped, nil
}

// refill lets go of everything held and reads on.
func (w *window) refill() error {
	w.base += int64(len(w.buf))
	w.buf, w.head = w.buf[:0], 0
	return w.read(min(cap(w.buf), w.chunk))
}

// part gives up the memory in front of buf[at], which is another's from now on, and goes on with a
// copy of what is behind, in room if that is large enough. It returns by how much the indexes have
// gone down.
func (w *window) part(at int, room []byte) (dropped int) {
	rest := w.buf[at:]
	if cap(room) < len(rest) {
		room = make([]byte, 0, len(rest))
	}
	w.buf = append(room[:0:min(cap(room), w.limit)], rest...)
	w.head = 0
	w.base += int64(at)
	return at
}

// makeRoom moves the bytes held to the front where that is cheap, or where
// there is no other way to have room behind them. The window doubles up to its
// limit first, so that few bytes are moved for each one read.
func (w *window) makeRoom() (dropped int) {
	held := len(w.buf) - w.head
	full := len(w.buf) == cap(w.buf)
	switch {
	case w.head > 0 && (held <= w.head || full && cap(w.buf) == w.limit):
		copy(w.buf, w.buf[w.head:])
		w.buf = w.buf[:held]
	case full:
		size := max(2*cap(w.buf), w.first, len(bom))
		if size > w.limit/2 { // the next step would hold two that are nearly as large as the limit
			size = w.limit
		}
		w.buf = append(make([]byte, 0, size), w.buf[w.head:]...)
	default:
		return 0
	}
	dropped = w.head
	w.head = 0
	w.base += int64(dropped)
	return dropped
}

// maxEmptyReads is how often in a row a reader may deliver nothing.
const maxEmptyReads = 100

// read appends bytes to buf until it is not longer than to.
func (w *window) read(to int) error {
	for range maxEmptyReads {
		if w.err != nil {
			if w.err == io.EOF {
				w.eof = true
				return nil
			}
			return readError(w.offset(len(w.buf)), w.err)
		}
		n, err := w.r.Read(w.buf[len(w.buf):to])
		w.buf = w.buf[:len(w.buf)+n]
		w.err = err
		if n > 0 {
			return nil
		}
	}
	return readError(w.offset(len(w.buf)), io.ErrNoProgress)
}

// readError says where the reader failed.
func readError(offset int64, err error) error {
	return fmt.Errorf("read input at byte %d: %w", offset, err)
}
