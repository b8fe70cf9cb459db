package streamed

import (
	"context"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// A session waits for a node that hangs for a multiple of the patience, even if the node answers by
// CQL. Then the node counts as away.
func TestSessionWithANodeThatHangs(t *testing.T) {
	asked := schema.New("ks", "t", []schema.Column{
		{Name: "k", Kind: schema.PartitionKey, Type: &cqltype.Type{Kind: cqltype.Int}},
		{Name: "v", Kind: schema.Regular, Type: &cqltype.Type{Kind: cqltype.Text}},
	})
	planned, err := sstable.Plan(asked.Stored())
	require.NoError(t, err)
	codec, err := sstable.NewCodec(
		planned,
		component.NB,
		sstable.Minima{Timestamp: sstable.EpochTimestamp, Time: sstable.EpochTime},
	)
	require.NoError(t, err)
	for at, limit := range map[internodetest.Step]time.Duration{ // of a minute of patience
		internodetest.Prepare:   10 * time.Minute,
		internodetest.BringOpen: 5 * time.Minute,
		internodetest.BringHead: 5 * time.Minute,
		internodetest.MidBring:  5*time.Minute + 5*time.Second, // in which it might say why
		internodetest.Finish:    5 * time.Minute,
	} {
		t.Run(string(at), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				door := internodetest.NewDoor(netip.MustParseAddrPort("127.0.0.9:7099"))
				n := internodetest.Node{
					At:      at,
					Harm:    internodetest.Hang,
					Connect: door.Dial,
					Has: func(internode.Request) ([]internodetest.Brought, error) {
						return []internodetest.Brought{
							internodetest.Rows(
								internode.UUID{1},
								codec.AppendHeader(nil),
								make([]byte, 2000),
							),
						}, nil
					},
				}
				s := &reader{
					t: &files.Source{
						Table: &table.Table{Schema: &schema.Table{Keyspace: "ks", Name: "t"}},
					},
					o:        &spec.Reading{TempDir: t.TempDir()},
					receipt:  new(progress.Receipt),
					patience: time.Minute,
				}
				s.ring.addresses = map[string]string{"one": "127.0.0.1:7000"}
				s.client = &internode.Client{Dial: n.Dial(ctx), Timeouts: s.timeouts()}
				var err error
				s.listener, err = internode.NewListener(door, nil)
				require.NoError(t, err)
				defer n.Wait()
				defer cancel()
				defer func() { require.NoError(t, s.listener.Close()) }()
				began := time.Now()
				_, err = s.hold(
					ctx,
					topology.Node{ID: "one"},
					[]token.Range{token.Whole(token.Murmur3)},
					0,
				)
				require.True(t, isAway(err), "%v", err)
				require.Equal(t, limit, time.Since(began), "%v", err)
			})
		})
	}
}
