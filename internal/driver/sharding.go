package driver

import (
	"math/bits"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// sharding is how a ScyllaDB node deals its tokens out to its shards, as it tells
// when a connection opens (SCYLLA_NR_SHARDS, SCYLLA_SHARDING_IGNORE_MSB,
// algorithm "biased-token-round-robin"): the ring is cut into 2^ignoreMSB equal
// stripes, and each stripe into count equal slices, the first of which is shard
// 0's and so on. The source is the chapter on sharding of ScyllaDB's protocol
// extensions.
//
// For the tables of a keyspace with tablets it means nothing; see [Session.Tablets].
type sharding struct {
	count     int
	ignoreMSB uint
}

// of is the shard that a token belongs to.
func (s sharding) of(t token.Token) int {
	shard, _ := bits.Mul64(t.Lo<<s.ignoreMSB, uint64(s.count))
	return int(shard)
}

// near is a token that belongs to the shard: t itself, or else the middle of the
// shard's slice in the stripe of t. When that is not within the range, as it may be
// if the range begins or ends in the stripe, the next stripe or the one before is
// taken, if the slice there is within.
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
