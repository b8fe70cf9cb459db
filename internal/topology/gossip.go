package topology

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Endpoint is the state of a node in gossip.
type Endpoint struct {
	ID       string // host id; empty: it is not known
	Address  string // address and port of its storage port
	DC, Rack string
	// Status is the state in the node's life, and an argument behind a comma: VersionedValue.java
	// has the words. It is the node's own, or that of the node that removes it. It may be empty.
	Status string
	Tokens []token.Token // nil: not known
	// Generation counts up with each start of the node, Version with each change of its status.
	Generation, Version int
}

// Word and Argument are the parts of a status.
func (e Endpoint) Word() string { word, _, _ := strings.Cut(e.Status, ","); return word }

// Argument is what stands behind the word, up to the next comma.
func (e Endpoint) Argument() string {
	parts := strings.Split(e.Status, ",")
	if len(parts) < 2 {
		return ""
	}
	return parts[1]
}

// MergeEndpoints makes one list of what several nodes have heard, in the order of the addresses. As
// in gossip the later word of a node counts. Tokens that only one of them has are kept, as long as
// the status is the same.
func MergeEndpoints(lists ...[]Endpoint) []Endpoint {
	latest := make(map[string]Endpoint)
	for _, list := range lists {
		for _, e := range list {
			known, found := latest[e.Address]
			order := cmp.Or(
				cmp.Compare(e.Generation, known.Generation),
				cmp.Compare(e.Version, known.Version),
			)
			switch {
			case !found || order > 0:
				latest[e.Address] = e
			case order == 0 && known.Tokens == nil:
				known.Tokens = e.Tokens
				latest[e.Address] = known
			}
		}
	}
	all := make([]Endpoint, 0, len(latest))
	for _, e := range latest {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b Endpoint) int { return cmp.Compare(a.Address, b.Address) })
	return all
}
