package probe

import (
	"context"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// Command is the load or the scan for which a cluster is probed.
type Command struct {
	Env        spec.Environment
	Connection *spec.Connection
	Config     driver.Config // how Connection is opened
	Load       *spec.Load    // nil: the command is a scan
	Scan       *spec.Scan    // nil: the command is a load
	// Unknown is set if the user named neither a command nor an input: rows may be read or written.
	Unknown  bool
	Patience time.Duration // for one check
}

// via returns the --via of the command.
func (c *Command) via() string {
	if c.Scan != nil {
		return c.Scan.Via
	}
	return c.Load.Via
}

// bypassed returns the --via of the command if rows bypass CQL; empty: rows go by CQL.
func (c *Command) bypassed() string {
	if via := c.via(); via != spec.ViaCQL {
		return via
	}
	return ""
}

// storage returns the port that nodes stream to each other by, and how it is secured. Port 0 is the
// port that each node reports.
func (c *Command) storage() (port int, tls *spec.TLS) {
	if c.Scan != nil {
		return c.Scan.StoragePort, &c.Scan.Internode
	}
	return c.Load.StoragePort, &c.Load.Internode
}

// Certificates asks all nodes for their certificates, and adds the client's. Without a cluster it
// asks the contact points. It returns nil if connections are not secured.
func (c *Command) Certificates(ctx context.Context, cluster *Cluster) []doctor.Certificate {
	if bundle := c.Config.Bundle; bundle != nil {
		return []doctor.Certificate{{Of: "--secure-connect-bundle", Ends: bundle.Ends()}}
	}
	if c.Config.TLS == nil {
		return nil
	}
	addresses := c.Connection.Hosts
	if cluster != nil {
		addresses = nil
		for _, a := range cluster.Answers {
			if !a.Excluded {
				addresses = append(addresses, a.Address)
			}
		}
	}
	var all []doctor.Certificate
	for i, cert := range driver.NodeCertificates(ctx, c.Config, addresses) {
		if cert.Err != nil && cert.Ends.IsZero() && cluster != nil &&
			cluster.Answers[i].Err != nil {
			continue // the node is down, which the finding about the connection says
		}
		if cert.Err != nil && !cert.Ends.IsZero() && cert.Ends.Before(time.Now()) {
			cert.Err = nil // the certificate is refused because it has ended
		}
		all = append(all, doctor.Certificate{Of: cert.Address, Ends: cert.Ends, Err: cert.Err})
	}
	if ends := driver.ClientEnds(c.Config.TLS); !ends.IsZero() {
		all = append(all, doctor.Certificate{Of: "--" + c.Connection.TLS.Name("cert"), Ends: ends})
	}
	return all
}
