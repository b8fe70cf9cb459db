package operation

import (
	"io"
	"slices"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/source"
)

// compressedHead is how much text of a compressed input tells how much there is of all of it.
const compressedHead = 4 << 20

// textSize is about how much text a compressed input has, by its beginning; below zero: that is not known.
func textSize(in source.Input) int64 {
	if !in.Plain() {
		return -1
	}
	r, err := in.Open()
	if err != nil {
		return -1
	}
	defer func() { _ = r.Close() }()
	text, err := io.Copy(io.Discard, io.LimitReader(r, compressedHead))
	if err != nil || text == 0 {
		return -1
	}
	if text < compressedHead {
		return text
	}
	return int64(float64(in.Size) * float64(text) / float64(r.Consumed()))
}

// headOf is the first text of an input. The error is why it is none.
func headOf(in source.Input) ([]byte, error) {
	r, err := in.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return io.ReadAll(io.LimitReader(r, sampledHead))
}

// heading is the first text of an input. It is safe for concurrent use: a read that was given up may still go on.
type heading struct {
	mu   sync.Mutex
	text []byte
}

func (h *heading) add(text []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, text[:min(len(text), sampledHead-len(h.text))]...)
}

func (h *heading) taken() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.text)
}

// headed is an input whose first text is kept.
type headed struct {
	*source.Reader
	head *heading
}

func (h *headed) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	h.head.add(p[:n])
	return n, err
}
