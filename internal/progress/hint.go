package progress

import "sync/atomic"

// Hint is what would make a run faster, for whoever looks at it. The zero value is none. It is safe
// for concurrent use.
type Hint struct{ text atomic.Pointer[string] }

// Set sets the hint; empty: there is none.
func (h *Hint) Set(text string) { h.text.Store(&text) }

// Text returns the hint; empty: there is none.
func (h *Hint) Text() string {
	if text := h.text.Load(); text != nil {
		return *text
	}
	return ""
}
