package main

import (
	"context"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestWayPost: parcels leave one after the other, and arrive a delay later.
func TestWayPost(t *testing.T) {
	now := time.Unix(1000, 0)
	w := newWay(25*time.Millisecond, 1e6)
	arrives, wait := w.post(now, 10_000)
	require.Equal(t, now.Add(35*time.Millisecond), arrives)
	require.Negative(t, wait)
	arrives, wait = w.post(now, 40_000)
	require.Equal(t, now.Add(75*time.Millisecond), arrives)
	require.Equal(t, 30*time.Millisecond, wait)
	arrives, _ = w.post(now.Add(time.Second), 1000)
	require.Equal(t, now.Add(1026*time.Millisecond), arrives)
	require.EqualValues(t, 51_000, w.bytes())
}

// TestCarry: the bytes arrive in order, after the delay, and the end of a side ends it.
func TestCarry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sender, from := net.Pipe()
		to, receiver := net.Pipe()
		begin := time.Now()
		w := newWay(25*time.Millisecond, 0)
		go func() {
			_, _ = sender.Write([]byte("one"))
			_, _ = sender.Write([]byte("two"))
			_ = sender.Close()
		}()
		go func() {
			w.carry(t.Context(), from, to)
			_ = to.Close()
		}()
		all, err := io.ReadAll(receiver)
		require.NoError(t, err)
		require.Equal(t, "onetwo", string(all))
		require.Equal(t, 25*time.Millisecond, time.Since(begin))
	})
}

// TestServe forwards a connection both ways, and ends when its context ends.
func TestServe(t *testing.T) {
	node, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer node.Close()
	go func() {
		for {
			c, err := node.Accept()
			if err != nil {
				return
			}
			_, _ = io.CopyN(c, c, frameHeader)
			_ = c.Close()
		}
	}()
	empty := frame(0, "")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l, err := newLine(listener.Addr().String(), node.Addr().String(), time.Millisecond, 1e9)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- l.serve(ctx, listener) }()
	client, err := net.Dial("tcp", listener.Addr().String())
	require.NoError(t, err)
	_, err = client.Write([]byte(empty))
	require.NoError(t, err)
	answer, err := io.ReadAll(client)
	require.NoError(t, err)
	require.Equal(t, empty, string(answer))
	require.NoError(t, client.Close())
	cancel()
	require.NoError(t, <-ended)
	require.EqualValues(t, frameHeader, l.there.bytes())
	require.EqualValues(t, frameHeader, l.back.bytes())
}
