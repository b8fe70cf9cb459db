package progress

import "sync/atomic"

// Hint is what would make a run faster, as a text for the user. The zero value is no hint. It is
// safe for concurrent use.
type Hint struct{ text atomic.Pointer[string] }

// Set sets the hint; empty: none.
func (h *Hint) Set(text string) { h.text.Store(&text) }

// Text returns the hint; empty: none.
func (h *Hint) Text() string {
	if text := h.text.Load(); text != nil {
		return *text
	}
	return ""
}
