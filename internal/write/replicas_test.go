package write_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

func TestRouter(t *testing.T) {
	r := loadtest.Ring(t, 4, 16)
	hosts := map[string]*write.Replicas{}
	indexes := map[int]*write.Replicas{}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		key := fmt.Append(nil, rng.Uint64())
		at, set := r.Route(key)
		require.Equal(t, token.Murmur3.Hash(key), at)
		require.Len(t, set.Hosts, 2)
		name := strings.Join(set.Hosts, " ")
		if hosts[name] == nil {
			hosts[name] = set
		}
		require.Same(t, hosts[name], set, "one set for %s", name)
		if indexes[set.Index] == nil {
			indexes[set.Index] = set
		}
		require.Same(t, indexes[set.Index], set)
	}
	require.Greater(t, len(hosts), 4)

	none := write.NewRouter(nil, nil, nil)
	one, set := none.Route([]byte("a"))
	other, same := none.Route([]byte("b"))
	require.NotEqual(t, one, other)
	require.Same(t, set, same)
	require.Empty(t, set.Hosts)
}
