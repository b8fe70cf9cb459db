package probe

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/internal/write/delivery"
)

// Cluster is an open connection to a cluster. It asks the nodes for the facts that doctor judges.
// After [Cluster.Describe], its methods are safe for concurrent use.
type Cluster struct {
	// Table has the session and the topology, and the table after Describe.
	Table   *table.Table
	Answers []doctor.Answer // by node
	command *Command

	settings func() []map[string]string // by node; asked for once
	ports    func(context.Context) storagePorts
}

// Connect opens a session, and pings all nodes. The caller closes the cluster's table.
func Connect(ctx context.Context, command *Command) (*Cluster, error) {
	c, err := open(ctx, command)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("no session within %s", command.Patience)
	}
	return c, err
}

func open(ctx context.Context, command *Command) (*Cluster, error) {
	session, err := driver.Connect(ctx, command.Config)
	if err != nil {
		return nil, err
	}
	t := &table.Table{Session: session, Consistency: command.Config.Consistency}
	err = table.AskAll(ctx, func() (err error) {
		t.Cluster, err = session.Topology(ctx)
		return err
	})
	if err != nil {
		session.Close()
		return nil, err
	}
	c := &Cluster{Table: t, command: command}
	took, errs := session.PingAll(ctx, t.Cluster.Nodes)
	for i, n := range t.Cluster.Nodes {
		c.Answers = append(c.Answers, doctor.Answer{Node: n, Took: took[i], Err: errs[i]})
	}
	c.markSilent()
	c.settings = sync.OnceValue(func() []map[string]string {
		settings, _ := session.SettingsOf(context.WithoutCancel(ctx), t.Cluster.Nodes)
		return settings
	})
	var once sync.Once
	var ports storagePorts
	c.ports = func(ctx context.Context) storagePorts {
		once.Do(func() { ports = c.tryStoragePorts(ctx) })
		return ports
	}
	return c, nil
}

// Describe reads what the table is, and where its replicas are.
func (c *Cluster) Describe(ctx context.Context, name spec.TableName, options plan.Options) error {
	err := c.Table.Describe(ctx, name, options, false)
	c.markSilent()
	return err
}

// markSilent marks nodes that did not answer as down, even if the driver holds them for up. They
// are not asked again.
func (c *Cluster) markSilent() {
	for i := range c.Table.Cluster.Nodes {
		n := &c.Table.Cluster.Nodes[i]
		n.Up = n.Up &&
			!slices.ContainsFunc(
				c.Answers,
				func(a doctor.Answer) bool { return a.ID == n.ID && a.Err != nil },
			)
	}
}

// schemaInterval is the time until nodes that disagree on the schema are asked again. gocql uses
// the same.
const schemaInterval = 200 * time.Millisecond

// SchemaVersions asks the nodes for their versions of the schema. After any change of the schema,
// nodes differ for a moment. Therefore it repeats the question until they agree, up to half of the
// patience. It returns the versions by address, the time that took, and why a node did not answer.
func (c *Cluster) SchemaVersions(
	ctx context.Context,
) (versions map[string]string, waited time.Duration, failed error) {
	for begin := time.Now(); ; {
		all, errs := c.Table.Session.SchemaVersions(ctx, c.Table.Cluster.Nodes)
		versions, failed = make(map[string]string), nil
		distinct := make(map[string]bool)
		for i, n := range c.Table.Cluster.Nodes {
			if errs[i] != nil {
				failed = errs[i]
				continue
			}
			versions[n.Address] = all[i]
			distinct[all[i]] = true
		}
		waited = time.Since(begin)
		if len(distinct) <= 1 || waited >= c.command.Patience/2 ||
			pace.Sleep(ctx, schemaInterval) != nil {
			return versions, waited, failed
		}
	}
}

// HostTimes returns which times the rows of the command take from this host's clock.
func (c *Cluster) HostTimes(ctx context.Context) doctor.HostTimes {
	t := c.Table
	// The servers set the times of counters. In a scan no time is set.
	if c.command.Load == nil || t.Schema != nil && t.Schema.IsCounter() {
		return doctor.HostTimes{}
	}
	var options driver.TableOptions
	if t.Schema != nil {
		var err error
		if options, err = t.Options(ctx); err != nil {
			c.command.Env.Logf("could not find out whether rows expire: %v", err)
		}
	}
	return HostTimes(c.command.Load, options)
}

// Cores returns the local nodes that are up, and the number of cores that a plan counts for each.
func (c *Cluster) Cores(options plan.Options) (nodes []topology.Node, counted []int) {
	cluster := c.Table.Cluster
	for i, cores := range plan.Cores(cluster, options) {
		if n := cluster.Nodes[i]; n.DC == cluster.LocalDC && n.Up {
			nodes, counted = append(nodes, n), append(counted, cores)
		}
	}
	return nodes, counted
}

// Thresholds asks the nodes for the limits and settings that a load or a scan may meet.
func (c *Cluster) Thresholds(ctx context.Context) doctor.Thresholds {
	limits := c.Table.Limits(ctx)
	t := doctor.Thresholds{
		BatchWarnBytes:      limits.BatchWarnBytes,
		BatchWarnPartitions: limits.BatchWarnPartitions,
		MaxMutationBytes:    limits.MaxMutationBytes,
		Settings:            make(map[string]map[string]string),
		Level:               c.command.Config.Consistency,
		Write:               c.command.Load != nil,
		Scylla:              c.Table.IsScylla(),
	}
	for i, settings := range c.settings() {
		if len(settings) > 0 {
			t.Settings[c.Table.Cluster.Nodes[i].Address] = settings
		}
	}
	return t
}

// Disks asks the nodes how full their disks are. It reads the free space of nodes on this host.
func (c *Cluster) Disks(ctx context.Context) (all []doctor.Disk) {
	usage, err := c.Table.Session.DiskUsage(ctx)
	if err != nil {
		c.command.Env.Logf("could not find out how full the disks are: %v", err)
	}
	settings, here := c.settings(), make(delivery.Disks)
	for i, n := range c.Table.Cluster.Nodes {
		if delivery.IsHere(n.Address) {
			here[n.ID] = delivery.ListOf(settings[i]["data_file_directories"])
		}
		one := doctor.Disk{Node: n.Address, Used: usage[n.ID]}
		one.Free, one.Known = here.Free(n.ID)
		all = append(all, one)
	}
	return all
}

// Share returns each node's part of the bytes of all inputs, if replicas are spread evenly.
func (c *Cluster) Share(bytes int64) int64 {
	nodes := len(c.Table.Cluster.Nodes)
	if nodes == 0 || c.Table.Replication == nil {
		return bytes
	}
	return bytes * int64(min(table.ReplicasOf(c.Table.Replication), nodes)) / int64(nodes)
}
