package driver

import (
	"net"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// libraryTokens makes Murmur3 tokens of the driver library's private type, the only kind that it
// chooses a shard by. The library makes one only when its token-aware policy hashes a routing key.
// So libraryTokens has such a policy, with a ring of one node that is always up. It asks the policy
// for the node of a key with the wanted token. It is safe for concurrent use.
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

// of returns t as a token of the library.
func (l libraryTokens) of(t token.Token) gocql.Token {
	return l.ring.Pick(routed{key: token.AppendMurmur3Key(make([]byte, 0, 16), t)})().Token()
}

// routed is the part of a query that a token-aware policy reads. Its other methods must not be
// called.
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
