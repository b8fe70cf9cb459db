package operation

import (
	"context"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/target/stream"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// streamSender sends files to storage ports.
type streamSender struct {
	client    *internode.Client
	table     internode.UUID
	addresses map[string]string
}

// Send is a method of stream.Sender: it holds one session.
func (s *streamSender) Send(ctx context.Context, node string, f stream.File) error {
	file := internode.File{Table: s.table, Keys: f.Keys, Header: f.Header, Whole: wholeOf(f.Whole)}
	if f.Whole == nil {
		file.Length = f.Bytes
		file.Open = func() (io.ReadCloser, error) { return io.NopCloser(f.Open()), nil }
	}
	_, err := s.client.Stream(ctx, s.addresses[node], []internode.File{file}, internode.Watch{})
	return fault.New(classOf(internode.KindOf(err)), err)
}

// wholeOf is a whole SSTable as it is sent; nil of none.
func wholeOf(w *stream.Whole) *internode.Whole {
	if w == nil {
		return nil
	}
	out := &internode.Whole{Version: w.Version.String(), FirstKey: w.First}
	for _, c := range slices.Sorted(maps.Keys(w.Sizes)) {
		if c == sstable.TOCTxt { // nodes refuse it
			continue
		}
		out.Components = append(out.Components, internode.Component{
			Name: string(c), Size: w.Sizes[c], Open: func() (io.ReadCloser, error) { return os.Open(w.Path(c)) },
		})
	}
	return out
}

// classOf says what may be done about an error of a session.
func classOf(kind internode.Kind) fault.Class {
	switch kind {
	case internode.Unreachable, internode.Failed, internode.Lost, internode.Deadline, internode.Version, internode.TLS:
		// Once more does no harm, whatever became of it. All nodes spoke the protocol when the load
		// began: what one says that starts anew is not for good.
		return fault.Transient
	case internode.Canceled:
		return fault.Canceled
	default:
		return fault.Permanent
	}
}

// noSender is for a dry run.
type noSender struct{}

func (noSender) Send(context.Context, string, stream.File) error { return nil }
