package simcluster_test

import (
	"slices"
	"testing"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// A paging state is good for any node, on any connection, after rows were written
// and nodes were stopped, and for no other statement.
func TestPagingState(t *testing.T) {
	c := launch(t, simcluster.Options{Seed: 5, Factor: 3, Tables: []simcluster.Table{wide}})
	want := values(c.Records("ks.wide"))
	page := func(node int, statement string, size int32, state []byte) message.Message {
		return dial(t, c, node).run(statement, &message.QueryOptions{
			Consistency: primitive.ConsistencyLevelOne, PageSize: size, PagingState: state,
		})
	}
	var got [][][]byte
	var state []byte
	for i := 0; ; i++ {
		result := page(i%2, "SELECT * FROM ks.wide", int32(20+i), state).(*message.RowsResult)
		got = append(got, result.Data...)
		switch i {
		case 1: // before the place that has been reached, and in the partition of it
			cl := dial(t, c, 0)
			for _, r := range [][][]byte{want[0], got[len(got)-1]} {
				require.IsType(t, &message.VoidResult{}, cl.run(
					"INSERT INTO ks.wide (p, q, c, d) VALUES (?, ?, 2147483647, 'new')",
					nil,
					r[0],
					r[1],
				))
			}
			require.Greater(t, len(c.Records("ks.wide")), len(want))
		case 2:
			c.Stop(2)
		}
		if state = result.Metadata.PagingState; state == nil {
			break
		}
		other := page(0, "SELECT p FROM ks.wide", 10, state)
		require.IsType(t, &message.ProtocolError{}, other)
		broken := slices.Clone(state)
		broken[len(broken)/2] ^= 1
		require.IsType(t, &message.ProtocolError{}, page(0, "SELECT * FROM ks.wide", 10, broken))
		require.IsType(t, &message.ProtocolError{}, page(0, "SELECT * FROM ks.wide", 10, state[:5]))
	}
	require.Equal(t, want, got)
}

func TestPagesByFault(t *testing.T) {
	for fault, want := range map[simcluster.Fault][]int{
		simcluster.None:         {10, 10, 5},
		simcluster.EmptyPage:    {0, 10, 10, 5},
		simcluster.ShortPage:    {3, 10, 10, 2},
		simcluster.TrailingPage: {10, 10, 5},
	} {
		c := launch(t, simcluster.Options{Rows: 25})
		rule := c.Inject(simcluster.Rule{Fault: fault, Times: 1, Rows: 3})
		cl := dial(t, c, 0)
		var pages []int
		o := &message.QueryOptions{
			Consistency: primitive.ConsistencyLevelOne, PageSize: 10,
		}
		for {
			result := cl.run("SELECT k FROM ks.t", o).(*message.RowsResult)
			pages = append(pages, len(result.Data))
			if o.PagingState = result.Metadata.PagingState; o.PagingState == nil {
				break
			}
		}
		require.Equal(t, want, pages, "%s", fault)
		require.Equal(t, 1, rule.Hits())
	}
	c := launch(t, simcluster.Options{Rows: 25})
	c.Inject(simcluster.Rule{Fault: simcluster.TrailingPage, Skip: 1, Times: 1})
	cl := dial(t, c, 0)
	o := &message.QueryOptions{Consistency: primitive.ConsistencyLevelOne, PageSize: 20}
	for _, want := range []int{20, 5, 0} {
		result := cl.run("SELECT k FROM ks.t", o).(*message.RowsResult)
		require.Len(t, result.Data, want)
		o.PagingState = result.Metadata.PagingState
	}
	require.Nil(t, o.PagingState)
}
