package sample

import (
	"io"
	"slices"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/source"
)

// sampledHead is the number of bytes of an input's first text.
const sampledHead = 64 << 10

// headOf returns the first text of an input.
func headOf(in source.Input) ([]byte, error) {
	r, err := in.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return io.ReadAll(io.LimitReader(r, sampledHead))
}

// heading keeps the first text of an input. It is safe for concurrent use: a read may continue
// after its caller has stopped waiting.
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

// headed is a reader that keeps the first text.
type headed struct {
	*source.Reader
	head *heading
}

func (h *headed) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	h.head.add(p[:n])
	return n, err
}
