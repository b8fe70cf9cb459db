package driver

import (
	"net"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// mint makes Murmur3 tokens of the driver's own private type, which are all that
// its choice of a shard understands. The driver makes one only when its
// token-aware policy hashes a routing key; so a policy of its own, on a ring of
// one node that is always up, is asked where a key with the wanted token goes.
// It is safe for concurrent use.
type mint struct{ ring gocql.HostSelectionPolicy }

func newMint() mint {
	ring := gocql.TokenAwareHostPolicy(gocql.RoundRobinHostPolicy(), gocql.DontShuffleReplicas())
	ring.Init(new(gocql.Session))
	ring.SetPartitioner(token.Murmur3.Name())
	only := gocql.HostInfoBuilder{HostId: gocql.UUID{15: 1}.String(), ConnectAddress: net.IPv4zero, Tokens: []string{"0"}}.Build()
	ring.AddHost(&only)
	return mint{ring}
}

// token is t for the driver.
func (m mint) token(t token.Token) gocql.Token {
	return m.ring.Pick(routed{key: token.AppendMurmur3Key(make([]byte, 0, 16), t)})().Token()
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
