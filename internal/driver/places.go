package driver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gocql/gocql"
)

// Places reads where the nodes are on the ring at this moment, by host id: data center, rack and
// tokens, in a text that is another when one of them is. [Session.Topology] has them as they were
// when the library heard of the node. The error is that of the node asked last when none has answered.
func (s *Session) Places(ctx context.Context) (map[string]string, error) {
	var places map[string]string
	var err error
	hosts := s.knowing()
	for i, h := range hosts {
		if places, err = s.placesBy(ctx, h, s.waitFor(i, hosts)); err == nil {
			return places, nil
		}
	}
	return nil, err
}

// placesBy asks one node for itself and for the others, and waits for it as [Session.eachOn] does.
func (s *Session) placesBy(ctx context.Context, h *gocql.HostInfo, wait time.Duration) (map[string]string, error) {
	places := make(map[string]string)
	var id gocql.UUID
	var dc, rack string
	var tokens []string
	for _, table := range []string{"system.local", "system.peers"} {
		err := s.eachOn(ctx, h.HostID(), wait, func() error {
			slices.Sort(tokens)
			places[id.String()] = fmt.Sprintf("%q %q %s", dc, rack, strings.Join(tokens, " "))
			return nil
		}, []any{&id, &dc, &rack, &tokens}, "SELECT host_id, data_center, rack, tokens FROM "+table, nil)
		if err != nil {
			return nil, err
		}
	}
	return places, nil
}
