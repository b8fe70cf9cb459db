package driver

import (
	"math/bits"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// sharding is how a ScyllaDB node distributes its tokens over its shards. It reports that when a
// connection opens (SCYLLA_NR_SHARDS, SCYLLA_SHARDING_IGNORE_MSB, algorithm
// "biased-token-round-robin"). The ring is cut into 2^ignoreMSB equal stripes, and each stripe into
// count equal slices, one for each shard in order. The source is the chapter on sharding of
// ScyllaDB's protocol extensions.
//
// It does not apply to tables of a keyspace with tablets; see [Session.Tablets].
type sharding struct {
	count     int
	ignoreMSB uint
}

// of returns the shard that a token belongs to.
func (s sharding) of(t token.Token) int {
	shard, _ := bits.Mul64(t.Lo<<s.ignoreMSB, uint64(s.count))
	return int(shard)
}

// near returns a token that belongs to the shard: t itself, or the middle of the shard's slice in
// the stripe of t. If that is not within the range, because the range begins or ends in the stripe,
// it tries the next stripe and the one before.
func (s sharding) near(t token.Token, shard int, within token.Range) token.Token {
	if s.of(t) == shard || shard >= s.count {
		return t
	}
	middle, _ := bits.Div64(2*uint64(shard)+1, 0, 2*uint64(s.count))
	stripe := ^uint64(0) >> s.ignoreMSB // the width, less one
	here := token.Token{Lo: t.Lo&^stripe | middle>>s.ignoreMSB}
	for _, step := range []uint64{0, stripe + 1, -(stripe + 1)} {
		if there := (token.Token{Lo: here.Lo + step}); within.Contains(there) {
			return there
		}
	}
	return here
}
