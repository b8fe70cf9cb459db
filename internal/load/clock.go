package load

import "time"

// clock gives out client timestamps in microseconds since the epoch. They grow
// with every row, and never run ahead of the time by more than the rows reserved
// at once, lest they outlive what the application writes next. Used by one
// goroutine.
type clock struct{ next int64 }

// reserve gives the first of n timestamps in a row.
func (c *clock) reserve(n int) int64 {
	first := max(c.next, time.Now().UnixMicro())
	c.next = first + int64(n)
	return first
}
