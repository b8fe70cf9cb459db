package driver

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/gocql/gocql"
)

// Place is where a node is. It is comparable.
type Place struct {
	DC, Rack string
	Tokens   string // as texts, sorted, separated by spaces
}

// Places reads where the nodes are on the ring now, by host id. [Session.Topology] has them as they
// were when the library learned of the node. If none answers, the error is that of the node asked
// last.
func (s *Session) Places(ctx context.Context) (map[string]Place, error) {
	var places map[string]Place
	var err error
	hosts := s.contactNodes()
	for i, h := range hosts {
		if places, err = s.placesBy(ctx, h, s.waitFor(i, hosts)); err == nil {
			return places, nil
		}
	}
	return nil, err
}

// placesBy asks one node for itself and the others, and waits for it as [Session.eachOn] does.
func (s *Session) placesBy(
	ctx context.Context,
	h *gocql.HostInfo,
	wait time.Duration,
) (map[string]Place, error) {
	places := make(map[string]Place)
	var id gocql.UUID
	var dc, rack string
	var tokens []string
	for _, table := range []string{"system.local", "system.peers"} {
		err := s.eachOn(ctx, h.HostID(), wait, func() error {
			slices.Sort(tokens)
			places[id.String()] = Place{
				strings.Clone(dc),
				strings.Clone(rack),
				strings.Join(tokens, " "),
			}
			return nil
		}, []any{&id, &dc, &rack, &tokens}, "SELECT host_id, data_center, rack, tokens FROM "+table, nil)
		if err != nil {
			return nil, err
		}
	}
	return places, nil
}
