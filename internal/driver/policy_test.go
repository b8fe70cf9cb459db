package driver

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/gocql/gocql"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// asked is the part of a query that a policy reads.
type asked struct {
	gocql.ExecutableQuery
	ctx context.Context
}

func (a asked) Context() context.Context { return a.ctx }

// counting is a policy that counts its calls.
type counting struct {
	gocql.HostSelectionPolicy
	picks int
}

func (c *counting) Pick(gocql.ExecutableQuery) gocql.NextHost {
	c.picks++
	return func() gocql.SelectedHost { return nil }
}

func TestPolicyPick(t *testing.T) {
	wrapped := &counting{HostSelectionPolicy: gocql.RoundRobinHostPolicy()}
	p := newPolicy(wrapped)
	node := gocql.HostInfoBuilder{
		HostId:         gocql.UUID{15: 7}.String(),
		ConnectAddress: []byte{127, 0, 0, 1},
	}.Build()
	p.AddHost(&node)
	s := &Session{policy: p}
	ctx, err := s.chooseNode(t.Context(), node.HostID(), "", token.Token{Lo: 5})
	require.NoError(t, err)
	for range 2 {
		next := p.Pick(asked{ctx: ctx})
		chosen := next()
		require.Same(t, &node, chosen.Info())
		require.Nil(t, chosen.Token(), "a node of Cassandra has no shards")
		require.Nil(t, next(), "the chosen node once, and no other")
	}
	require.Zero(t, wrapped.picks)
	any, err := s.chooseNode(t.Context(), "", "", token.Token{Lo: 5})
	require.NoError(t, err)
	require.Nil(t, p.Pick(asked{ctx: any})())
	require.Nil(t, p.Pick(nil)())
	require.Equal(t, 2, wrapped.picks, "requests for any node go where the wrapped policy says")
}

func TestPinUnknownNode(t *testing.T) {
	p := newPolicy(gocql.RoundRobinHostPolicy())
	old := gocql.HostInfoBuilder{
		HostId:         gocql.UUID{15: 7}.String(),
		ConnectAddress: []byte{127, 0, 0, 1},
	}.Build()
	moved := gocql.HostInfoBuilder{
		HostId:         gocql.UUID{15: 7}.String(),
		ConnectAddress: []byte{127, 0, 0, 2},
	}.Build()
	p.AddHost(&old)
	p.AddHost(&moved)
	p.RemoveHost(&old)
	require.Same(t, &moved, p.host(moved.HostID()), "the node at its new address stays")
	p.RemoveHost(&moved)
	_, err := (&Session{policy: p}).chooseNode(t.Context(), moved.HostID(), "", token.Token{})
	require.ErrorContains(t, err, "node 00000000-0000-0000-0000-000000000007 is not in the cluster")
	require.Equal(t, fault.Transient, fault.ClassOf(err))
}

func TestPolicyAddHosts(t *testing.T) {
	one := gocql.HostInfoBuilder{
		HostId:         gocql.UUID{15: 1}.String(),
		ConnectAddress: []byte{127, 0, 0, 1},
	}.Build()
	two := gocql.HostInfoBuilder{
		HostId:         gocql.UUID{15: 2}.String(),
		ConnectAddress: []byte{127, 0, 0, 2},
	}.Build()
	for _, wrapped := range []gocql.HostSelectionPolicy{
		gocql.RoundRobinHostPolicy(), gocql.TokenAwareHostPolicy(gocql.RoundRobinHostPolicy()),
	} {
		wrapped.Init(new(gocql.Session))
		p := newPolicy(wrapped)
		p.AddHosts([]*gocql.HostInfo{&one, &two})
		require.Same(t, &two, p.host(two.HostID()))
		next := p.Pick(nil)
		require.ElementsMatch(
			t,
			[]*gocql.HostInfo{&one, &two},
			[]*gocql.HostInfo{next().Info(), next().Info()},
		)
	}
}

func TestLibraryTokens(t *testing.T) {
	l := newLibraryTokens()
	source := rand.New(rand.NewPCG(3, 3))
	for _, want := range []token.Token{
		{Lo: 1}, {Lo: 1 << 63}, token.Murmur3.Max(), {Lo: source.Uint64()}, {Lo: source.Uint64()},
	} {
		got := l.of(want)
		require.Equal(t, string(token.Murmur3.Append(nil, want)), got.String())
		require.False(t, got.Less(got), "comparing shows that it is the driver's own kind")
	}
}

func TestFirstToken(t *testing.T) {
	require.Equal(t, token.Token{}, firstToken(token.Range{}), "of a whole table none")
	require.Equal(t, token.Token{Lo: 1}, firstToken(token.Whole(token.Murmur3)))
	require.Equal(
		t,
		token.Token{Hi: 1},
		firstToken(token.Range{Start: token.Token{Lo: 1<<64 - 1}, End: token.Token{Hi: 2}}),
	)
}

func TestShardingNear(t *testing.T) {
	source := rand.New(rand.NewPCG(4, 4))
	for range 3000 {
		s := sharding{count: 1 + source.IntN(130), ignoreMSB: uint(1 + source.IntN(20))}
		at := token.Token{Lo: source.Uint64()}
		shard := source.IntN(s.count)
		whole := token.Whole(token.Murmur3)
		near := s.near(at, shard, whole)
		require.Equal(t, shard, s.of(near), "%+v", s)
		require.Equal(t, at.Lo>>(64-s.ignoreMSB), near.Lo>>(64-s.ignoreMSB), "in the same stripe")
		require.Equal(t, at, s.near(at, s.of(at), whole), "already there")
		require.Equal(t, at, s.near(at, s.count, whole), "no such shard")
	}
	s := sharding{count: 4, ignoreMSB: 12}
	const stripe, slice = 1 << 52, 1 << 50
	at := token.Token{Lo: 9*stripe + 2*slice}
	for _, c := range []struct{ from, to, want uint64 }{
		{8 * stripe, 10 * stripe, 9*stripe + slice/2},
		{9*stripe + slice, 11 * stripe, 10*stripe + slice/2},
		{7 * stripe, 9*stripe + slice/4, 8*stripe + slice/2},
		{9*stripe + slice, 9*stripe + 3*slice, 9*stripe + slice/2},
	} {
		within := token.Range{Start: token.Token{Lo: c.from}, End: token.Token{Lo: c.to}}
		require.Equal(t, token.Token{Lo: c.want}, s.near(at, 0, within))
	}
}

func BenchmarkLibraryTokens(b *testing.B) {
	l := newLibraryTokens()
	b.ReportAllocs()
	for i := range b.N {
		l.of(token.Token{Lo: uint64(i)})
	}
}
