package driver

import "github.com/gocql/gocql"

// cell takes one value out of a frame without a copy, and puts one in as it is. Bytes that are nil
// are null, and an empty slice is an empty value.
type cell struct{ bytes []byte }

// UnmarshalCQL keeps the driver's bytes. They are valid until the iterator that they came from is
// closed.
func (c *cell) UnmarshalCQL(_ gocql.TypeInfo, data []byte) error {
	c.bytes = data
	return nil
}

// MarshalCQL returns the bytes as they are. The driver copies them into its frame.
func (c *cell) MarshalCQL(gocql.TypeInfo) ([]byte, error) { return c.bytes, nil }
