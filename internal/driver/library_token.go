package driver

import (
	"net"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// libraryTokens makes Murmur3 tokens of the driver library's own private type, which
// are all that its choice of a shard understands. The library makes one only when its
// token-aware policy hashes a routing key; so a policy of its own, on a ring of
// one node that is always up, is asked where a key with the wanted token goes.
// It is safe for concurrent use.
type libraryTokens struct{ ring gocql.HostSelectionPolicy }

func newLibraryTokens() libraryTokens {
	ring := gocql.TokenAwareHostPolicy(gocql.RoundRobinHostPolicy(), gocql.DontShuffleReplicas())
	ring.Init(new(gocql.Session))
	ring.SetPartitioner(token.Murmur3.Name())
	only := gocql.HostInfoBuilder{
		HostId:         gocql.UUID{15: 1}.String(),
		ConnectAddress: net.IPv4zero,
		Tokens:         []string{"0"},
	}.Build()
	ring.AddHost(&only)
	return libraryTokens{ring}
}

// of is t for the library.
func (l libraryTokens) of(t token.Token) gocql.Token {
	return l.ring.Pick(routed{key: token.AppendMurmur3Key(make([]byte, 0, 16), t)})().Token()
}

// routed is as much of a query as a choice by token looks at; there is nothing
// behind the rest of the interface.
type routed struct {
	gocql.ExecutableQuery
	key []byte
}

func (r routed) GetRoutingKey() ([]byte, error)          { return r.key, nil }
func (r routed) GetCustomPartitioner() gocql.Partitioner { return nil }
func (r routed) GetSession() *gocql.Session              { return nil }
func (r routed) Keyspace() string                        { return "" }
func (r routed) Table() string                           { return "" }
func (r routed) IsLWT() bool                             { return false }
