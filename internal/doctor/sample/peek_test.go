package sample

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/source"
)

// stdin is the standard input of a load.
func stdin(t *testing.T, from io.Reader) source.Input {
	t.Helper()
	inputs, _, err := source.Find([]string{source.Stdin}, from)
	require.NoError(t, err)
	return inputs[0]
}

// readAll reads an input as a load does.
func readAll(t *testing.T, open func() (io.ReadCloser, error)) string {
	t.Helper()
	r, err := open()
	require.NoError(t, err)
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	return string(text)
}

func TestPeekLosesNothing(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "a line": "a,b\n", "no line end": "a,b\n1,2",
		"more than is read ahead": strings.Repeat("0123456789abcde\n", 3*peekSize/16),
	} {
		t.Run(name, func(t *testing.T) {
			p := NewPeek(stdin(t, strings.NewReader(text)))
			p.wait = time.Hour // however busy the machine is
			arrived, full := p.Arrived(t.Context(), format.CSV)
			require.Equal(t, len(text) > peekSize, full)
			head := readAll(t, func() (io.ReadCloser, error) { return arrived.Open() })
			require.True(t, strings.HasPrefix(text, head))
			require.True(t, head == "" || strings.HasSuffix(head, "\n"), "whole lines")
			require.Equal(t, text, readAll(t, p.Open))
		})
	}
}

// A pipe that is slow does not hold the load up: what has come is given out at once.
func TestPeekOfASlowPipe(t *testing.T) {
	r, w := io.Pipe()
	p := NewPeek(stdin(t, r))
	_, err := io.WriteString(w, "a,b\n1,2\n")
	require.NoError(t, err)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, full := p.Arrived(gone, format.CSV)
	require.False(t, full)
	in, err := p.Open()
	require.NoError(t, err)
	text := make([]byte, 8)
	_, err = io.ReadFull(in, text)
	require.NoError(t, err)
	require.Equal(t, "a,b\n1,2\n", string(text))
	require.NoError(t, in.Close(), "while the pipe is silent")
	require.NoError(t, w.Close())
	<-p.done
}
