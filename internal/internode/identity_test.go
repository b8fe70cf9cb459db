package internode_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
)

// Tables of the same name have other ids in another cluster.
func TestANodeOfAnotherClusterIsFoundOutBeforeAnythingIsSent(t *testing.T) {
	n := &internodetest.Node{Knows: func(id internode.UUID) bool { return id == tableA }}
	play(t, n, func(ctx context.Context, t *testing.T, c *internode.Client) {
		require.NoError(t, c.CheckTable(ctx, nodeAddress, tableA))
		err := c.CheckTable(ctx, nodeAddress, tableB)
		require.Equal(t, internode.Foreign, internode.KindOf(err))
		require.ErrorContains(t, err, "does not know the table by its id "+tableB.String())
		require.Empty(t, n.Complete())
	})
}

// If a node builds indexes for hours, it completes the session when it has built them.
func TestASessionIsWaitedForAsLongAsTheNodeWorksAtIt(t *testing.T) {
	var built chan struct{} // of the bubble
	n := &internodetest.Node{Take: func(*internodetest.Session) error {
		<-built
		return nil
	}}
	play(t, n, func(ctx context.Context, t *testing.T, c *internode.Client) {
		built = make(chan struct{})
		begun, asked := time.Now(), 0
		watch := internode.Watch{Alive: func(context.Context, internode.UUID) error {
			if asked++; asked == 300 {
				close(built)
			}
			return nil
		}}
		_, err := c.Stream(ctx, nodeAddress, []internode.File{rows(tableA, random(100))}, watch)
		require.NoError(t, err)
		require.GreaterOrEqual(t, time.Since(begun), 5*time.Hour)
	})
}

func TestASessionEndsWhenTheNodeDoesNotWorkAtItAnyMore(t *testing.T) {
	n := &internodetest.Node{At: internodetest.Finish, Harm: internodetest.Hang}
	play(t, n, func(ctx context.Context, t *testing.T, c *internode.Client) {
		gone := errors.New("it does not answer")
		watch := internode.Watch{Alive: func(context.Context, internode.UUID) error { return gone }}
		begun := time.Now()
		_, err := c.Stream(ctx, nodeAddress, []internode.File{rows(tableA, random(100))}, watch)
		require.Equal(t, internode.Deadline, internode.KindOf(err))
		require.ErrorIs(t, err, gone)
		synctest.Wait()
		require.Less(t, time.Since(begun), 2*time.Minute)
	})
}
