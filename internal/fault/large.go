package fault

import "fmt"

// LargeError is a page that was not taken, because it has more bytes than there is memory for.
type LargeError struct {
	Bytes int64 // of the page
}

// Error returns the size of the page, and that it was refused.
func (e *LargeError) Error() string {
	return fmt.Sprintf("a page of %d bytes does not fit into memory", e.Bytes)
}
