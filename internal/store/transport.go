package store

import (
	"context"
	"net"
	"net/http"
	"time"
)

// connections is the number of idle connections that are kept for later requests.
const connections = 64

// Transport makes connections to a service, which fail if they are silent for too long.
func Transport(silence time.Duration) http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	dialer := net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &watchedConn{conn, silence}, nil
	}
	t.MaxIdleConnsPerHost, t.MaxIdleConns = connections, connections
	t.ResponseHeaderTimeout = silence
	t.DisableCompression = true // the bytes are those of the object
	return t
}

// watchedConn is a connection on which each read and write has to succeed within a time.
type watchedConn struct {
	net.Conn
	silence time.Duration
}

// Read is a method of net.Conn.
func (c *watchedConn) Read(b []byte) (int, error) {
	_ = c.SetReadDeadline(time.Now().Add(c.silence)) // a closed connection is the next line's error
	return c.Conn.Read(b)
}

// Write is a method of net.Conn.
func (c *watchedConn) Write(b []byte) (int, error) {
	// A read waits for the answer meanwhile, and is not late while bytes are sent.
	_ = c.SetDeadline(time.Now().Add(c.silence))
	return c.Conn.Write(b)
}
