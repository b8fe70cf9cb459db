package driver

import "github.com/gocql/gocql"

// cell takes one value out of a frame without copying it, and puts one in as it
// is: nil is null, an empty slice is an empty value.
type cell struct{ bytes []byte }

// UnmarshalCQL keeps the driver's own bytes; they are valid until the iterator
// they came from is closed.
func (c *cell) UnmarshalCQL(_ gocql.TypeInfo, data []byte) error {
	c.bytes = data
	return nil
}

// MarshalCQL gives the bytes as they are; the driver copies them into its frame.
func (c *cell) MarshalCQL(gocql.TypeInfo) ([]byte, error) { return c.bytes, nil }
