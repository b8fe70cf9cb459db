package delivery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// What a node says of why it failed a session is in the error, though it may say so a moment later.
func TestReasonOfAFailedSession(t *testing.T) {
	planned, err := sstable.Plan(
		&sstable.Table{Key: []sstable.Column{{Name: "k", Type: &cqltype.Type{Kind: cqltype.Int}}}},
	)
	require.NoError(t, err)
	codec, err := sstable.NewCodec(planned, component.NB, sstable.Minima{})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		told []string
		want string
	}{
		"at once": {[]string{"no such table"}, "its log says why, under plan %s: no such table"},
		"later":   {[]string{"", "no such table"}, "its log says why, under plan %s: no such table"},
		"never":   {[]string{"", "", "", "too late"}, "its log says why, under plan %s"},
	} {
		t.Run(name, func(t *testing.T) {
			node := &internodetest.Node{
				Take: func(*internodetest.Session) error { return errors.New("no") },
			}
			defer node.Wait()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var asked internode.UUID
			s := sender{
				client: &internode.Client{
					Dial: node.Dial(ctx),
				},
				address: func(string) string { return "127.0.0.1:7000" },
				failure: func(_ context.Context, id string, plan [16]byte) driver.StreamFailure {
					require.Equal(t, "a", id)
					asked = plan
					why := c.told[0]
					c.told = c.told[1:]
					return driver.StreamFailure{Why: why}
				},
			}
			err := s.Send(t.Context(), "a", stream.File{
				Header: codec.AppendHeader(
					nil,
				),
				Bytes: 4,
				Keys:  1,
				Open:  func() io.Reader { return bytes.NewReader([]byte("rows")) },
			})
			require.True(t, fault.Retryable(err, true), "%v", err)
			var failed *internode.Error
			require.ErrorAs(t, err, &failed)
			require.Equal(t, failed.Plan, asked)
			require.Regexp(t, fmt.Sprintf(c.want, asked)+"$", err.Error())
		})
	}
}

// If a node fails a session for a row, the error says so, and what can be done.
func TestSessionsThatFailForTheirRows(t *testing.T) {
	planned, err := sstable.Plan(
		&sstable.Table{Key: []sstable.Column{{Name: "k", Type: &cqltype.Type{Kind: cqltype.Int}}}},
	)
	require.NoError(t, err)
	codec, err := sstable.NewCodec(planned, component.NB, sstable.Minima{})
	require.NoError(t, err)
	node := &internodetest.Node{
		Take: func(*internodetest.Session) error { return errors.New("no") },
	}
	defer node.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for name, c := range map[string]struct {
		indexes []string
		want    string
	}{
		"no index": {nil, "change or remove the row, or load with --via cql, which rejects it"},
		"indexes": {[]string{"by_name", "by_size"}, "change or remove the row, or load with --via cql, which rejects it if indexes by_name, by_size cannot have it; " +
			"or drop the index, resume, and create it again"},
	} {
		t.Run(name, func(t *testing.T) {
			s := sender{
				indexes: c.indexes,
				client: &internode.Client{
					Dial: node.Dial(ctx),
				},
				address: func(string) string { return "127.0.0.1:7000" },
				failure: func(context.Context, string, [16]byte) driver.StreamFailure {
					return driver.StreamFailure{Why: "no row", Rows: true}
				},
			}
			err := s.Send(
				t.Context(),
				"a",
				stream.File{
					Header: codec.AppendHeader(nil),
					Bytes:  4,
					Keys:   1,
					Open:   func() io.Reader { return bytes.NewReader([]byte("rows")) },
				},
			)
			require.True(t, fault.Retryable(err, true))
			var rows *stream.RowsError
			require.ErrorAs(t, err, &rows)
			require.Equal(t, c.want, rows.Advice)
			require.ErrorContains(t, err, "no row")
		})
	}
}
