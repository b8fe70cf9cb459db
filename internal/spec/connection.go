package spec

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// Connection says which cluster to speak to, as whom and how.
type Connection struct {
	Hosts        []string // contact points, each a name or an address, with or without a port
	Port         int      // of those without one and of all other nodes
	Nodes        Nodes
	Bundle       string // file name of a secure connect bundle; empty: none
	AWSRegion    string // of Amazon Keyspaces, to log in there; empty: another login
	User         string // empty: no authentication
	Password     string
	PasswordFile string // whose first line is the password, where it is not given
	DC           string // data center to talk to; empty: that of the first contact point
	Consistency  string
	Timeout      time.Duration // of one request
	Connections  int           // to each node
	Frames       string        // how they are compressed, one of compressions
	TLS          TLS
	Prefix       string // of the settings' names, where a command speaks to two clusters
}

// NewConnection has the defaults; of the consistency level, as is given.
func NewConnection(level string) Connection {
	return Connection{
		Hosts:       []string{"127.0.0.1"},
		Port:        9042,
		Consistency: level,
		Timeout:     30 * time.Second,
		Connections: 2,
		Frames:      compressAuto,
	}
}

func (c *Connection) settings() setting.List {
	return append(setting.List{
		{Name: c.name("hosts"), Field: &c.Hosts},
		{Name: c.name("port"), Field: &c.Port},
		{Name: c.name(bundleFlag), Field: &c.Bundle, Use: setting.Path},
		{Name: c.name(awsRegionFlag), Field: &c.AWSRegion},
		{Name: c.name("user"), Field: &c.User},
		{Name: c.name("password"), Field: &c.Password, Use: setting.Private},
		{Name: c.name("password-file"), Field: &c.PasswordFile, Use: setting.Path},
		{Name: c.name("dc"), Field: &c.DC},
		{
			Name:  c.name(ConsistencyFlag),
			Field: &c.Consistency,
			Use:   setting.Always,
			Among: driver.ConsistencyLevels(),
		},
		{Name: c.name("timeout"), Field: &c.Timeout},
		{Name: c.name("connections"), Field: &c.Connections},
		{Name: c.name(compressionFlag), Field: &c.Frames, Among: compressions},
	}, slices.Concat(c.Nodes.settings(c.Prefix), c.TLS.settings())...)
}

// name is that of a setting.
func (c *Connection) name(setting string) string { return c.Prefix + setting }

// checkRead returns an error for a level that only writes have. Cassandra refuses it for reads
// (ConsistencyLevel.validateForRead).
func (c *Connection) checkRead() error {
	if level, err := driver.ParseConsistency(c.Consistency); err == nil && level == "ANY" {
		return fmt.Errorf("--%s ANY: only a write can have it", c.name(ConsistencyFlag))
	}
	return nil
}

// Config makes the driver's configuration. It may ask the user for a password, so
// that everything else is checked before.
func (c *Connection) Config(env Environment) (driver.Config, error) {
	level, err := driver.ParseConsistency(c.Consistency)
	if err != nil {
		return driver.Config{}, fmt.Errorf("--%s: %w", c.name(ConsistencyFlag), err)
	}
	if err := c.checkHosts(); err != nil {
		return driver.Config{}, err
	}
	lists, err := c.Nodes.lists(c)
	if err != nil {
		return driver.Config{}, err
	}
	if c.Timeout <= 0 {
		return driver.Config{}, fmt.Errorf(
			"--%s %s: must be above zero",
			c.name("timeout"),
			c.Timeout,
		)
	}
	if c.Connections < 1 {
		return driver.Config{}, fmt.Errorf(
			"--%s %d: must be at least 1",
			c.name("connections"),
			c.Connections,
		)
	}
	if c.Port < 1 || c.Port > 65535 {
		return driver.Config{}, fmt.Errorf(
			"--%s %d: must be from 1 to 65535",
			c.name("port"),
			c.Port,
		)
	}
	if !slices.Contains(compressions, c.Frames) {
		return driver.Config{}, fmt.Errorf(
			"--%s %q: want %s",
			c.name(compressionFlag),
			c.Frames,
			strings.Join(compressions, ", "),
		)
	}
	secured, err := c.TLS.Config(env)
	if err != nil {
		return driver.Config{}, err
	}
	bundle, err := c.loadBundle(env)
	if err != nil {
		return driver.Config{}, err
	}
	login, err := c.awsLogin()
	if err != nil {
		return driver.Config{}, err
	}
	if err := c.findPassword(env); err != nil {
		return driver.Config{}, err
	}
	// The login of a bundle is not recorded with the settings of a run.
	user, password := c.User, c.Password
	if bundle != nil && user == "" && login == nil {
		user, password = bundle.User, bundle.Password
	}
	var from time.Duration
	if c.Frames == compressAuto {
		from = pace.FarTrip
	}
	return driver.Config{
		Compress:     c.Frames != compressNone,
		CompressFrom: from,
		Hosts:        c.Hosts,
		Port:         c.Port,
		Addresses:    c.Nodes.AddressMap,
		Nodes:        lists,
		Bundle:       bundle,
		AWS:          login,
		User:         user,
		Password:     password,
		DC:           c.DC,
		Consistency:  level,
		Timeout:      c.Timeout,
		Connections:  c.Connections,
		TLS:          secured,
		Version:      env.Build.Version,
		Warnf:        env.Warn,
		Logf:         env.LogDriver,
	}, nil
}

// compressionFlag is the name of the setting of how CQL frames are compressed, as DSBulk's driver
// names it. The compression of a scan's output has the shorter name.
const compressionFlag = "protocol-compression"

// The values of that setting.
const (
	compressAuto = "auto" // LZ4 with nodes that are far away
	compressLZ4  = "lz4"
	compressNone = "none"
)

var compressions = []string{compressAuto, compressLZ4, compressNone}

// checkHosts refuses contact points that are none.
func (c *Connection) checkHosts() error {
	flag := c.name("hosts")
	if len(c.Hosts) == 0 {
		return fmt.Errorf("--%s: names no contact point", flag)
	}
	for _, host := range c.Hosts {
		scheme, rest, isAddress := strings.Cut(host, "://")
		switch {
		case strings.TrimSpace(host) == "":
			return fmt.Errorf(
				"--%s %q: one of the contact points is empty",
				flag,
				strings.Join(c.Hosts, ","),
			)
		case isAddress:
			return fmt.Errorf(
				"--%s %s: a contact point is a name or an address, without %s://; did you mean %q?",
				flag,
				host,
				scheme,
				strings.TrimRight(rest, "/"),
			)
		case strings.ContainsAny(host, "/ "):
			return fmt.Errorf(
				"--%s %q: a contact point is a name or an address, with :port or without; several are separated by commas",
				flag,
				host,
			)
		case !hasPort(host):
			return fmt.Errorf("--%s %s: the port must be from 1 to 65535", flag, host)
		}
	}
	return nil
}

// hasPort reports whether the port of a contact point can be one; so can that of one without.
func hasPort(host string) bool {
	_, port, err := net.SplitHostPort(host)
	if err != nil {
		return true
	}
	n, err := strconv.Atoi(port)
	return err == nil && 1 <= n && n <= 65535
}

// TableName names a table by its parts, as they are and not as CQL quotes them.
type TableName struct {
	Keyspace string
	Table    string
}

// The default consistency levels. A write goes to all replicas in any case. Waiting for most of
// them costs little, and without it a row may be on one replica only, where readers of the others
// miss it. A read of many rows from two replicas costs twice as much.
const (
	ReadConsistency  = "LOCAL_ONE"
	WriteConsistency = "LOCAL_QUORUM"
	// CloneConsistency has what a majority of replicas together know, which is all that was written
	// at QUORUM. One that missed a tombstone would have what it deletes live on in the clone, where
	// no repair can mend it any more.
	CloneConsistency = "QUORUM"

	// UnrecordedConsistency is that of runs that recorded none.
	UnrecordedConsistency = "LOCAL_ONE"
)

// ConsistencyFlag is the name of the setting of the consistency level.
const ConsistencyFlag = "consistency"
