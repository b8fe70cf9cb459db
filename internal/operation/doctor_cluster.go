package operation

import (
	"context"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/doctor/probe"
	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/internal/write/delivery"
)

// clusterChecks are those of the nodes. Without a session only certificates can be looked at.
func (d *Doctor) clusterChecks() []doctor.Check {
	if d.offline {
		return nil
	}
	checks := []doctor.Check{{Name: "tls", Look: d.certificates}}
	if d.t == nil {
		return checks
	}
	return append(
		checks,
		doctor.One(
			"versions",
			func(context.Context) doctor.Finding { return doctor.Versions(d.t.Cluster.Nodes, d.t.IsScylla()) },
		),
		doctor.One("schema", d.schema),
		doctor.One("clock", d.clocks),
		doctor.One("cores", d.cores),
		doctor.Check{Name: "thresholds", Look: d.thresholds},
		doctor.Check{Name: "disk space", Look: d.disks},
		doctor.One("storage port", d.ports),
	)
}

// certificates looks at those of all nodes, or of the contact points where there is no session, and
// at our own.
func (d *Doctor) certificates(ctx context.Context) []doctor.Finding {
	if d.cfg.TLS == nil {
		return doctor.Certificates(nil, time.Now())
	}
	addresses := d.conn.Hosts
	if d.t != nil {
		addresses = nil
		for _, a := range d.answers {
			addresses = append(addresses, a.Address)
		}
	}
	var all []doctor.Certificate
	for i, c := range driver.NodeCertificates(ctx, d.cfg, addresses) {
		if c.Err != nil && c.Ends.IsZero() && d.t != nil && d.answers[i].Err != nil {
			continue // it is down, and was told of
		}
		if c.Err != nil && !c.Ends.IsZero() && c.Ends.Before(time.Now()) {
			c.Err = nil // that is why it is not taken
		}
		all = append(all, doctor.Certificate{Of: c.Address, Ends: c.Ends, Err: c.Err})
	}
	if ends := driver.ClientEnds(d.cfg.TLS); !ends.IsZero() {
		all = append(all, doctor.Certificate{Of: "--" + d.conn.TLS.Name("cert"), Ends: ends})
	}
	return doctor.Certificates(all, time.Now())
}

// schemaInterval is how long it takes until nodes that differ are asked again, as gocql has it.
const schemaInterval = 200 * time.Millisecond

// schema waits half of the patience for nodes that differ: after any change of the schema they do
// for a moment.
func (d *Doctor) schema(ctx context.Context) doctor.Finding {
	for begin := time.Now(); ; {
		versions, errs := d.t.Session.SchemaVersions(ctx, d.t.Cluster.Nodes)
		told := make(map[string]string)
		var failed error
		for i, n := range d.t.Cluster.Nodes {
			if errs[i] != nil {
				failed = errs[i]
				continue
			}
			told[n.Address] = versions[i]
		}
		waited := time.Since(begin)
		f := doctor.Schema(told, failed, waited)
		if f.State != doctor.Failure || waited >= d.patience/2 ||
			pace.Sleep(ctx, schemaInterval) != nil {
			return f
		}
	}
}

func (d *Doctor) clocks(ctx context.Context) doctor.Finding {
	var times doctor.HostTimes
	// Of a conditional write and of a counter the servers have the time.
	if d.load != nil && (d.t.Schema == nil || !d.t.Schema.IsCounter()) {
		var options driver.TableOptions
		if d.t.Schema != nil {
			var err error
			if options, err = d.t.Options(ctx); err != nil {
				d.env.Logf("not told whether rows expire: %v", err)
			}
		}
		times = hostTimes(d.load, options)
	}
	return doctor.Clocks(clocksOf(ctx, d.t), times)
}

// cores are those of the nodes that are asked; of one that is down there is nothing to learn.
func (d *Doctor) cores(context.Context) doctor.Finding {
	var nodes []topology.Node
	var taken []int
	for i, cores := range plan.Cores(d.t.Cluster, d.plan) {
		if n := d.t.Cluster.Nodes[i]; n.DC == d.t.Cluster.LocalDC && n.Up {
			nodes, taken = append(nodes, n), append(taken, cores)
		}
	}
	return doctor.Cores(nodes, taken)
}

func (d *Doctor) thresholds(ctx context.Context) []doctor.Finding {
	limits := d.t.Limits(ctx)
	t := doctor.Thresholds{
		BatchWarnBytes:      limits.BatchWarnBytes,
		BatchWarnPartitions: limits.BatchWarnPartitions,
		MaxMutationBytes:    limits.MaxMutationBytes,
		Settings: make(
			map[string]map[string]string,
		),
		Level:  d.cfg.Consistency,
		Write:  d.load != nil,
		Scylla: d.t.IsScylla(),
	}
	for i, settings := range d.settings() {
		if len(settings) > 0 {
			t.Settings[d.t.Cluster.Nodes[i].Address] = settings
		}
	}
	return doctor.Bounds(t)
}

func (d *Doctor) disks(ctx context.Context) []doctor.Finding {
	usage, err := d.t.Session.DiskUsage(ctx)
	if err != nil {
		d.env.Logf("not told how full the disks are: %v", err)
	}
	settings, here := d.settings(), make(delivery.Disks)
	var all []doctor.Disk
	for i, n := range d.t.Cluster.Nodes {
		if delivery.IsHere(n.Address) {
			here[n.ID] = delivery.ListOf(settings[i]["data_file_directories"])
		}
		one := doctor.Disk{Node: n.Address, Used: usage[n.ID]}
		one.Free, one.Known = here.Free(n.ID)
		all = append(all, one)
	}
	return doctor.Disks(all, d.coming())
}

// coming is about how many bytes of text each node will be sent; 0: that is not known.
func (d *Doctor) coming() (share int64) {
	for _, in := range d.inputs {
		share += max(in.Size, 0)
	}
	if nodes := len(d.t.Cluster.Nodes); nodes > 0 && d.t.Replication != nil {
		share = share * int64(min(table.ReplicasOf(d.t.Replication), nodes)) / int64(nodes)
	}
	return share
}

// ignores says whether a node is left out by a load (--ignore-hosts).
func (d *Doctor) ignores(n topology.Node) bool {
	return slices.ContainsFunc(
		d.load.IgnoreHosts,
		func(name string) bool { return delivery.IsCalled(n, name) },
	)
}

// probes is what the nodes' storage ports told.
type probes struct {
	probe.StoragePorts
	failed *doctor.Finding // why no port was tried; nil: some were
}

// ports says whether the nodes' storage ports can be reached.
func (d *Doctor) ports(ctx context.Context) doctor.Finding {
	p := d.probe(ctx)
	if p.failed != nil {
		return *p.failed
	}
	return doctor.Ports(p.Ports, d.streamed)
}

// probe tries the storage ports, as a load or a scan by streaming does: once, whichever checks want
// to know.
func (d *Doctor) probe(ctx context.Context) probes {
	d.probing.Do(func() { d.probed = d.tryStorage(ctx) })
	return d.probed
}

func (d *Doctor) tryStorage(ctx context.Context) probes {
	failed := func(f doctor.Finding) probes { return probes{failed: &f} }
	settings, err := d.internode.Config(d.env)
	if err != nil {
		return failed(doctor.Fail("", "%v", err))
	}
	var s table.Placement
	if s.Told, err = d.t.Session.StorageAddresses(ctx); err != nil {
		return failed(doctor.Warn("see whether the nodes hang", "not told: %v", err))
	}
	addresses, err := s.StoragePorts(d.t.Cluster.Nodes, d.storage)
	if err != nil {
		return failed(doctor.Fail("", "%v", err))
	}
	wanted := make(map[string]bool)
	for _, a := range d.answers {
		// A load waits for nodes that are down, but for those that it leaves out; a scan asks
		// others.
		wanted[a.ID] = addresses[a.ID] != "" &&
			(a.Err == nil || d.streamed && d.load != nil && !d.ignores(a.Node))
	}
	return probes{StoragePorts: probe.TryStoragePorts(
		ctx, settings, d.t.Cluster.Nodes, addresses, wanted,
	)}
}
