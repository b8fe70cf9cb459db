package driver

import (
	"context"
	"net"
	"strconv"

	"github.com/gocql/gocql"
)

// StorageAddresses returns where nodes accept connections from each other: address and port, by
// host id. Since Cassandra 4.0 the ports are in system.local and system.peers_v2. Nodes that no
// answer mentions are missing, such as all of ScyllaDB and of Cassandra 3. It asks a few nodes.
// A node's own answer counts more than those of others. If none answers, the error is that
// of a node.
func (s *Session) StorageAddresses(ctx context.Context) (map[string]string, error) {
	hosts := s.contactNodes()
	s.forgetSilent(hosts)
	told := make([]storageAccount, len(hosts))
	errs, silent := s.askAll(ctx, hosts, func(ctx context.Context, i int) (err error) {
		told[i], err = s.storageAccount(ctx, hosts[i])
		return err
	})
	all := make(map[string]string)
	answers := 0
	for i, account := range told {
		if errs[i] == nil {
			answers++
		}
		for id, address := range account.peers {
			all[id] = address
		}
	}
	for _, account := range told {
		if account.self != "" {
			all[account.id] = account.self
		}
	}
	if answers == 0 && len(errs) > 0 {
		return nil, errs[0]
	}
	s.warnSilent(silent, "the ports that nodes speak to each other on are learned from others")
	return all, nil
}

// storageAccount is what a node reports about storage ports.
type storageAccount struct {
	id, self string
	peers    map[string]string
}

func (s *Session) storageAccount(ctx context.Context, h *gocql.HostInfo) (storageAccount, error) {
	a := storageAccount{peers: make(map[string]string)}
	var id gocql.UUID
	var address net.IP
	var port int
	read := func(f func(id, address string), stmt string) error {
		err := s.each(ctx, h.HostID(), func() error {
			if id != (gocql.UUID{}) && len(address) > 0 && port > 0 {
				f(id.String(), net.JoinHostPort(address.String(), strconv.Itoa(port)))
			}
			return nil
		}, []any{&id, &address, &port}, stmt)
		if refused(err) {
			return nil // there are no such columns
		}
		return err
	}
	err := read(
		func(id, address string) { a.id, a.self = id, address },
		"SELECT host_id, broadcast_address, broadcast_port FROM system.local",
	)
	if err != nil {
		return a, err
	}
	return a, read(
		func(id, address string) { a.peers[id] = address },
		"SELECT host_id, peer, peer_port FROM system.peers_v2",
	)
}
