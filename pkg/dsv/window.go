package dsv

import (
	"fmt"
	"io"
)

// window is the part of the stream that the Splitter holds.
type window struct {
	r     io.Reader
	chunk int    // bytes to hold if no record is longer
	limit int    // the largest number of bytes to hold
	first int    // bytes of the first allocation
	buf   []byte // buf[head:] is held
	head  int
	base  int64 // offset of buf[0] in the stream
	begun bool  // the byte order mark was handled
	eof   bool  // nothing follows buf
	err   error // from the reader, returned after its bytes
}

// leastWindow is the smallest number of bytes that a window allocates, unless its limit is lower.
const leastWindow = 64

// offset returns the offset of buf[i] in the stream.
func (w *window) offset(i int) int64 { return w.base + int64(i) }

// fill reads at least one byte, unless the stream ends or fails. dropped is the amount by which the
// indexes of the held bytes decreased.
func (w *window) fill() (dropped int, err error) {
	dropped = w.makeRoom()
	to := cap(w.buf)
	if len(w.buf)-w.head <= w.chunk {
		to = min(to, w.head+w.chunk+1)
	} else {
		to = min(to, len(w.buf)+w.chunk+1) // bytes after a long record are copied: see part
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

// refill drops all held bytes and reads more.
func (w *window) refill() error {
	w.base += int64(len(w.buf))
	w.buf, w.head = w.buf[:0], 0
	return w.read(min(cap(w.buf), w.chunk))
}

// part gives the memory before buf[at] to the caller. It copies the rest into room, or into new
// memory if room is too small. It returns the amount by which indexes decreased.
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

// makeRoom moves the held bytes to the front if that is cheap, or if there is no other way to make
// room. The window first doubles up to its limit, so that few bytes are moved for each byte read.
func (w *window) makeRoom() (dropped int) {
	held := len(w.buf) - w.head
	full := len(w.buf) == cap(w.buf)
	switch {
	case w.head > 0 && (held <= w.head || full && cap(w.buf) == w.limit):
		copy(w.buf, w.buf[w.head:])
		w.buf = w.buf[:held]
	case full:
		size := max(2*cap(w.buf), w.first, len(bom))
		if size > w.limit/2 { // a further doubling would hold two buffers of nearly the limit
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

// maxEmptyReads is the largest number of consecutive reads without a byte.
const maxEmptyReads = 100

// read appends bytes to buf, up to the length to.
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

// readError returns the error of the reader with its offset.
func readError(offset int64, err error) error {
	return fmt.Errorf("read input at byte %d: %w", offset, err)
}
