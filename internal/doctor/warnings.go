package doctor

import (
	"fmt"
	"sync"
)

// Warnings collects Warnings, each once. The zero value is empty. It is safe for concurrent use.
type Warnings struct {
	mu   sync.Mutex
	new  []string
	seen map[string]bool
}

// Add adds a warning, unless an equal one was added before.
func (w *Warnings) Add(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := fmt.Sprintf(format, args...)
	if w.seen == nil {
		w.seen = make(map[string]bool)
	}
	if !w.seen[text] {
		w.seen[text] = true
		w.new = append(w.new, text)
	}
}

// Take returns the warnings that were added since the last call.
func (w *Warnings) Take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	texts := w.new
	w.new = nil
	return texts
}
