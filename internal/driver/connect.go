package driver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/internal/fault"
)

// Session is a connected cluster.
type Session struct {
	cfg       Config
	s         *gocql.Session
	log       *logger
	policy    *policy
	filter    *filter
	tablets   sync.Map // by table, as in CQL: *tabletMap
	pageLimit *pageLimit
	lz4       *compression
	warnings  *serverWarnings

	// by host id: what a node of a large cluster answered to PingAll, a nodeAnswer
	nodeAnswers sync.Map
	cored       sync.Map     // by host id: its cores, an int
	silent      sync.Map     // by host id: the time.Time of the last question without an answer
	answering   atomic.Value // host id of the last node that answered a question for any node
}

// Connect opens a session with the cluster. Its error says in plain words which contact point
// failed and why, and never contains the password.
func Connect(ctx context.Context, cfg Config) (*Session, error) {
	cfg = cfg.withDefaults()
	level, err := parseConsistency(cfg.Consistency)
	if err != nil {
		return nil, err
	}
	defer warnSlowConnect(cfg)()
	if cfg.Patience == 0 {
		return connect(ctx, cfg, level)
	}
	limited, cancel := context.WithTimeout(ctx, cfg.Patience)
	defer cancel()
	s, err := connect(limited, cfg, level)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		if cfg.Bundle != nil {
			return nil, fault.New(fault.Fatal, fmt.Errorf(
				"no session with the database of %s came about within %s: a longer --patience waits for it",
				cfg.Bundle.path, cfg.Patience,
			))
		}
		cfg.AskTimeout = min(cfg.AskTimeout, cfg.Patience)
		return nil, fault.New(fault.Fatal, errSilent(ctx, cfg))
	}
	return s, err
}

// warnAfter is the time between [Config.AskTimeout] and the warning that a contact point does not
// answer. Until then other nodes may answer.
const warnAfter = time.Second

// warnSlowConnect warns the user once Connect takes long, unless stop was called before.
func warnSlowConnect(cfg Config) (stop func()) {
	warn := cfg.warnNow
	if warn == nil {
		warn = time.After(cfg.AskTimeout + warnAfter)
	}
	ended := make(chan struct{})
	var warning sync.WaitGroup
	warning.Go(func() {
		select {
		case <-ended:
		case <-warn:
			limit := ""
			if cfg.Patience > 0 {
				limit = fmt.Sprintf("; it is given up after %s (--patience)", cfg.Patience)
			}
			cfg.Warnf("no answer yet from %s%s", addresses(cfg), limit)
		}
	})
	return func() {
		close(ended)
		warning.Wait()
	}
}

func connect(ctx context.Context, cfg Config, level gocql.Consistency) (*Session, error) {
	cfg, err := cfg.behindProxy(ctx)
	if err == nil {
		cfg.Hosts, err = cfg.allowedContacts(ctx)
	}
	if ctx.Err() != nil {
		return nil, fault.New(fault.Canceled, ctx.Err())
	}
	if err != nil {
		return nil, fault.New(fault.Fatal, err)
	}
	contacts, err := probe(ctx, cfg)
	if ctx.Err() != nil {
		return nil, fault.New(fault.Canceled, ctx.Err())
	}
	if err != nil {
		return nil, fault.New(fault.Fatal, err)
	}
	filter := &filter{dc: cfg.DC, nodes: newCoordinators(cfg.Nodes)}
	for {
		session, err := untilConnected(ctx, cfg, func() (*Session, error) {
			return begin(ctx, cfg, contacts, level, filter)
		})
		if err != nil {
			return nil, err
		}
		if session.inspect(ctx) {
			session.Close()
			continue
		}
		if err := filter.nodes.check(); err != nil {
			session.Close()
			return nil, err
		}
		return session, nil
	}
}

// behindProxy returns the configuration for the nodes of a bundle, if there is one.
func (c Config) behindProxy(ctx context.Context) (Config, error) {
	if c.Bundle == nil {
		return c, nil
	}
	var err error
	if c.proxy, err = c.Bundle.askProxy(ctx, c); err != nil {
		return c, err
	}
	if c.DC != "" && c.proxy.dc != "" && c.DC != c.proxy.dc {
		return c, fmt.Errorf(
			"--dc %s: %s is for the data center %s",
			c.DC, c.Bundle.path, c.proxy.dc,
		)
	}
	c.Hosts, c.DC = []string{c.proxy.address}, cmp.Or(c.proxy.dc, c.DC)
	c.proxy.contacts = c.answeringContacts(ctx)
	c.TLS = c.proxy.tlsFor("")
	return c, nil
}

// connectPause is the time between two attempts to open a session.
const connectPause = time.Second

// untilConnected opens a session. While there is patience, it tries again if a node answered, but
// no connection for requests came about in time, as happens with overloaded nodes.
func untilConnected(
	ctx context.Context, cfg Config, begin func() (*Session, error),
) (*Session, error) {
	for {
		s, err := begin()
		if cfg.Patience == 0 || !errors.Is(err, gocql.ErrNoConnectionsStarted) {
			return s, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(connectPause):
		}
	}
}

// begin opens a session from the contact points, with the nodes that the filter accepts.
func begin(
	ctx context.Context,
	cfg Config,
	contacts []string,
	level gocql.Consistency,
	filter *filter,
) (*Session, error) {
	cluster := gocql.NewCluster(contacts...)
	cluster.Port = cfg.Port
	cluster.Consistency = level
	cluster.Timeout = cfg.Timeout
	cluster.ReadTimeout = cfg.Timeout
	cluster.WriteTimeout = cfg.Timeout
	cluster.ConnectTimeout = min(cfg.Timeout, 10*time.Second)
	// The driver waits for each node that it connects to. Nodes that hang must not use up the
	// patience.
	if cfg.Patience > 0 {
		cluster.ConnectTimeout = min(cluster.ConnectTimeout, cfg.Patience/3)
	}
	cluster.NumConns = cfg.Connections
	cluster.WriteCoalesceWaitTime = cfg.Coalesce
	ignoreNodeStatus(cluster)
	cluster.RetryPolicy = &gocql.SimpleRetryPolicy{NumRetries: 0}
	cluster.DefaultTimestamp = false
	log := &logger{tell: cfg.Logf}
	cluster.Logger = log
	room, lz4 := new(pageLimit), newCompression(cfg)
	warnings := &serverWarnings{show: cfg.Warnf}
	cluster.HostDialer = &dialer{
		net:       net.Dialer{Timeout: cluster.ConnectTimeout},
		cfg:       cfg,
		nodes:     filter.nodes,
		pageLimit: room,
		lz4:       lz4,
		warnings:  warnings,
	}
	if lz4 != nil {
		cluster.Compressor = deflater{}
	}
	cluster.WarningsHandlerBuilder = nil // the frameChecker has them already
	cluster.ApplicationInfo = gocql.NewStaticApplicationInfo("cqlbulk", cfg.Version, "")
	cluster.MaxRequestsPerConn = maxStreams
	policy := newPolicy(gocql.RoundRobinHostPolicy())
	cluster.PoolConfig.HostSelectionPolicy = policy
	cluster.HostFilter = filter
	switch {
	case cfg.AWS != nil:
		cluster.Authenticator = sigV4{login: cfg.AWS, now: time.Now}
	case cfg.User != "":
		cluster.Authenticator = gocql.PasswordAuthenticator{
			Username: cfg.User,
			Password: cfg.Password,
		}
	}
	s, err := open(ctx, cluster)
	if err != nil {
		log.close()
		if ctx.Err() != nil {
			return nil, fault.New(fault.Canceled, ctx.Err())
		}
		if wrong := checkDC(ctx, cfg); wrong != nil {
			return nil, wrong // a usage error
		}
		cfg.Logf("%s", translate(err.Error()))
		return nil, fault.New(fault.Fatal, explainConnect(ctx, cfg, err))
	}
	session := &Session{
		cfg:       cfg,
		s:         s,
		log:       log,
		policy:    policy,
		filter:    filter,
		pageLimit: room,
		lz4:       lz4,
		warnings:  warnings,
	}
	if cfg.TLS != nil {
		session.warnUnverified(ctx)
	}
	return session, nil
}

// open makes the driver's session. It closes one that fails to open: otherwise the driver would
// keep trying to reach the cluster for it.
func open(ctx context.Context, cluster *gocql.ClusterConfig) (*gocql.Session, error) {
	s, err := cluster.CreateSessionNonBlocking()
	if err != nil {
		return nil, err
	}
	ready := make(chan error, 1)
	go func() { ready <- s.WaitUntilReady() }()
	select {
	case err = <-ready:
	case <-ctx.Done():
		go func() {
			_ = s.WaitUntilReady()
			s.Close()
		}()
		return nil, ctx.Err()
	}
	if err != nil {
		shut(s)
		return nil, err
	}
	return s, nil
}

// checkDC reports, after a failed attempt, if the cluster has no data center of the given name.
func checkDC(ctx context.Context, cfg Config) error {
	if cfg.DC == "" {
		return nil
	}
	name := cfg.DC
	cfg.DC, cfg.Bundle = "", nil // the proxy of a bundle is known by now
	s, err := Connect(ctx, cfg)
	if err != nil {
		return nil
	}
	defer s.Close()
	c, err := s.Topology(ctx)
	if err != nil {
		return nil
	}
	c.LocalDC = name
	return c.CheckDC()
}

// Close ends the session. Requests in flight fail.
func (s *Session) Close() {
	shut(s.s)
	s.log.close()
}

func shut(s *gocql.Session) {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		s.Close()
	}()
	select {
	case <-closed:
	case <-time.After(closeTime):
	}
}

// maxStreams is the largest number of requests in flight on a connection. It bounds the driver's
// memory per connection: with the 32,768 of the protocol, that is 4 KiB for each.
const maxStreams = 4096

// closeTime is how long shut waits for the driver. The driver may be trying one silent node after
// another.
const closeTime = 2 * time.Second

// withPort adds the port to a contact point that has none.
func withPort(host string, port int) string {
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), strconv.Itoa(port))
}

func explainDial(address string, err error) error {
	var dns *net.DNSError
	host, port, _ := net.SplitHostPort(address)
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Errorf("host %q is not known: check --hosts", host)
	case strings.Contains(err.Error(), "connection refused"):
		return fmt.Errorf(
			"nothing listens on %s (connection refused): is the node up, and is %s its native transport port (--port)?",
			address,
			port,
		)
	default:
		return fmt.Errorf("cannot connect to %s: %w", address, err)
	}
}

// explainConnect turns the driver's error from opening a session into one for the user.
func explainConnect(ctx context.Context, cfg Config, err error) error {
	text := err.Error()
	var request responseError
	switch {
	case cfg.AWS != nil && (strings.Contains(text, "uthentication failure") ||
		errors.As(err, &request) && request.GetCode() == gocql.ErrCodeCredentials):
		return fmt.Errorf(
			"the cluster refused the AWS credentials for region %s: %w",
			cfg.AWS.Region,
			translateError(err),
		)
	case cfg.AWS != nil && strings.Contains(text, "AWS credentials: "):
		return translateError(err)
	case errors.As(err, &request) && request.GetCode() == gocql.ErrCodeCredentials,
		strings.Contains(text, "Provided username"), strings.Contains(text, "and/or password are incorrect"):
		return fmt.Errorf("the cluster refused user %q: user name or password is wrong", cfg.User)
	case strings.Contains(text, "no authenticator available"),
		strings.Contains(text, "authentication required"):
		return errors.New(
			"the cluster asks for a user name and a password: give --user and --password-file (or CQLBULK_PASSWORD)",
		)
	case cfg.TLS == nil && speaksTLS(ctx, cfg):
		return fmt.Errorf(
			"what answers at %s on port %d wants connections secured by TLS: give --ssl, and --cacert, --cert and --key where it needs them",
			strings.Join(cfg.Hosts, ", "),
			cfg.Port,
		)
	case otherPort(cfg) != "":
		return errors.New(otherPort(cfg))
	case strings.Contains(text, "no response"):
		return errSilent(ctx, cfg)
	case strings.Contains(text, "unsupported protocol"),
		strings.Contains(text, "EOF"),
		strings.Contains(text, "protocol"):
		return fmt.Errorf(
			"what answers at %s does not speak CQL: is %s the native transport port of a node? CQL is usually on 9042 (--port)",
			addresses(cfg),
			ports(cfg),
		)
	default:
		return fmt.Errorf("cannot open a session with %s: %w", addresses(cfg), translateError(err))
	}
}

// errSilent names the contact points that take connections and answer nothing.
func errSilent(ctx context.Context, cfg Config) error {
	if other := otherPort(cfg); other != "" {
		return errors.New(other)
	}
	all := addresses(cfg)
	if cfg.Hosts = silentOf(ctx, cfg); len(cfg.Hosts) == 0 {
		return fmt.Errorf(
			"no session with the cluster came about in time, though %s answers: do other nodes hang? a longer --patience waits for them",
			all,
		)
	}
	return fmt.Errorf(
		"%s takes connections and answers nothing: are the nodes overloaded, or is it another port than that of CQL, usually 9042 (--port)?",
		addresses(cfg),
	)
}

// silentOf returns the contact points that do not answer now.
func silentOf(ctx context.Context, cfg Config) []string {
	_, silent := probeEach(cfg.Hosts, func(host string) bool {
		answers, _ := probeOne(ctx, cfg, withPort(host, cfg.Port))
		return answers
	})
	return silent
}

// addresses returns the contact points with their ports.
func addresses(cfg Config) string {
	all := make([]string, len(cfg.Hosts))
	for i, host := range cfg.Hosts {
		all[i] = withPort(host, cfg.Port)
	}
	return strings.Join(all, ", ")
}

// ports returns the different ports of the contact points.
func ports(cfg Config) string {
	var all []string
	for _, host := range cfg.Hosts {
		if _, port, _ := net.SplitHostPort(withPort(host, cfg.Port)); !slices.Contains(all, port) {
			all = append(all, port)
		}
	}
	return strings.Join(all, ", ")
}

// otherPorts are ports of servers that do not speak CQL.
var otherPorts = map[string]string{
	"7000":  "the storage port",
	"7001":  "the storage port for TLS",
	"7199":  "the port of JMX, which nodetool speaks to",
	"9160":  "the port of Thrift, which is gone",
	"10000": "the port of ScyllaDB's REST interface",
	"9180":  "the port of ScyllaDB's metrics",
}

// otherPort explains the port of the contact points if it is a known one that is not for CQL;
// empty: it is not.
func otherPort(cfg Config) string {
	if what, ok := otherPorts[ports(cfg)]; ok {
		return fmt.Sprintf("%s: this is %s; CQL is usually on 9042 (--port)", addresses(cfg), what)
	}
	return ""
}
