package help

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/config"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// topic is what help has to say that is of no command alone.
type topic struct {
	name  string
	short string
	text  func() string
	group flagset.Group // whose flags, as load has them, stand behind the text; empty: none
}

var topics = []topic{
	{
		"connection",
		"hosts, passwords, TLS",
		func() string { return connectionTopic },
		flagset.GroupConnection,
	},
	{
		"nodes",
		"data centers, NAT, proxies, nodes to spare",
		func() string { return nodesTopic },
		flagset.GroupNodes,
	},
	{
		"formats",
		"CSV, TSV, JSON: null, quotes, values of each type",
		func() string { return formatsTopic },
		"",
	},
	{
		"environment",
		"the configuration file and variables of the environment",
		environmentTopic,
		"",
	},
	{"exit-status", "what the exit status says", func() string { return exitTopic }, ""},
	{"consistency", "what the consistency levels promise", consistencyTopic, ""},
}

// TopicNames returns the names of the topics, in the order of help.
func TopicNames() []string {
	names := make([]string, len(topics))
	for i, t := range topics {
		names[i] = t.name
	}
	return names
}

func writeTopics(w io.Writer) {
	fmt.Fprintln(w, "\nTopics, cqlbulk help TOPIC:")
	for _, t := range topics {
		fmt.Fprintf(w, "  %-13s%s\n", t.name, t.short)
	}
}

// newHelpCommand is the command help, which knows commands and topics.
func newHelpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Show the help of a command or a topic",
		Long: `Show the help of a command, or one of the topics that cqlbulk --help lists. All flags of
a command are listed with --help-all.`,
		Example: `  cqlbulk help load
  cqlbulk help consistency`,
		// Neither settings nor a cluster are needed for it.
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		ValidArgsFunction: func(
			c *cobra.Command, args []string, _ string,
		) ([]string, cobra.ShellCompDirective) {
			var words []string
			if len(args) == 0 {
				for _, sub := range root.Commands() {
					if sub.IsAvailableCommand() {
						words = append(words, sub.Name()+"\t"+sub.Short)
					}
				}
				for _, t := range topics {
					words = append(words, t.name+"\t"+t.short)
				}
			}
			return words, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			return printHelpOf(c.OutOrStdout(), root, args)
		},
	}
}

// printHelpOf writes the help of a command or a topic.
func printHelpOf(w io.Writer, root *cobra.Command, words []string) error {
	if len(words) == 0 {
		Write(w, root, false)
		return nil
	}
	for _, t := range topics {
		if t.name == words[0] && len(words) == 1 {
			t.write(w, root)
			return nil
		}
	}
	c, rest, err := root.Find(words)
	if err != nil || c == root || len(rest) > 0 {
		names := TopicNames()
		for _, sub := range root.Commands() {
			names = append(names, sub.Name())
		}
		word := strings.Join(words, " ")
		return fmt.Errorf(
			"there is no command or topic %q%s (see cqlbulk --help)",
			word,
			schema.DidYouMean(word, names),
		)
	}
	Write(w, c, false)
	return nil
}

// write writes the topic.
func (t topic) write(w io.Writer, root *cobra.Command) {
	fmt.Fprintln(w, reflow(t.text()))
	if flags := t.flags(root); len(flags) > 0 {
		writeGroup(w, string(t.group)+":", flags, func(*pflag.Flag) bool { return true }, false)
	}
}

// flags are the flags that a topic is about.
func (t topic) flags(root *cobra.Command) (about []*pflag.Flag) {
	if t.group == "" {
		return nil
	}
	load, _, _ := root.Find([]string{"load"})
	for _, f := range flagsOf(load) {
		if flagset.GroupOf(f) == t.group {
			about = append(about, f)
		}
	}
	return about
}

const connectionTopic = `
Name one node or several with --hosts; the other nodes are found by them. Requests go
to one data center, that of the first contact point or of --dc.

The password of --user comes from --password-file, from CQLBULK_PASSWORD, from the
configuration file, or from --password. Otherwise cqlbulk asks for it at the terminal. It
is shown nowhere, and kept in no run directory.

--ssl secures all connections by TLS, 1.2 or later. Each node's certificate must be of
an authority in --cacert and hold the address by which the node is reached. If it holds a
name instead, --ssl-server-name gives one that all of them have. --cert and --key are for
nodes that require a client's certificate.

  cqlbulk count demo.flights --hosts 10.0.0.1,10.0.0.2 --user etl
  cqlbulk count demo.flights --ssl --cacert ca.pem --cert me.pem --key me.key`

const nodesTopic = `
Requests go to the nodes of one data center, each to a replica of its rows. cqlbulk finds
the nodes by those of --hosts. It reaches them at the addresses that the cluster reports
(rpc_address). To see these: nodetool status.

--address-map is for nodes that are reached at other addresses. It has one for each, or
that of a proxy that passes a connection to any of them (*=proxy:9043). An address
without a port has the port of the node.

--deny-nodes spares nodes: requests go to other nodes, of the same replicas if there are
any. As replicas they still take writes, and reads that need them. --allow-nodes names
the nodes that take requests, and spares all others.

--aws-region logs in to Amazon Keyspaces with the AWS credentials of this host. A
database of Astra DB is reached by its secure connect bundle:

  cqlbulk count demo.flights --secure-connect-bundle b.zip --user token
  cqlbulk scan demo.flights --hosts gate --address-map '*=gate:9043'
  cqlbulk load demo.flights f.csv --hosts 10.0.0.1 --deny-nodes 10.0.0.3`

const formatsTopic = `
CSV is RFC 4180 in UTF-8. Commas separate fields. A field is in quotes if it needs them,
quotes in it are doubled, and nothing is escaped. To change the two characters:
--delimiter and --quote. With --format tsv, tabs separate fields. JSON is an object a
line, its members named like columns; a load also reads one array of objects. The first
line of CSV and TSV names the columns; --header=false says that there is no such line.

Nothing between two delimiters is null, "" is the empty text. --null-string names other
texts for null. A load reads gzip, zstd, lz4, snappy, bzip2 and xz by their first bytes. A
scan writes the first four by the name of the file.

Values of CSV and TSV, as a scan writes them; a load reads more forms:

  text, ascii           as it is
  int and its kin       -42
  float, double         0.1  1e+21  NaN  -Infinity
  decimal               1.10
  boolean               true  false
  date, time            2020-02-29  12:34:56.123456789
  timestamp             2013-01-01T10:00:00Z  2013-01-01T08:00:00.500Z
  duration              1y2mo3d4h5m6s
  uuid, timeuuid        550e8400-e29b-41d4-a716-446655440000
  inet                  127.0.0.1  2001:db8::1
  blob, any raw value   0xcafe
  list, set, vector     ['a', 'it''s']  {1, 2, 3}  [1, 2.5]
  map                   {'k': '2013-01-01T00:00:00Z'}
  tuple, user type      (1, null, 'x')  {street: 'x', "Zip Code": null}

cqlbulk reads no Excel, Parquet, Avro, zip or tar, and no UTF-16. Files of cqlsh's COPY TO are
read with --dialect cqlsh.`

func consistencyTopic() string {
	level, _ := spec.NewLoad().Settings().Find("consistency")
	return `
A load waits until most replicas of a row in the data center have it (LOCAL_QUORUM).
Readers at LOCAL_QUORUM see it then. With --consistency LOCAL_ONE one replica is enough.
That is faster if nodes are slow, and the load continues while half of them are down. But
readers of another replica may not see all rows until the cluster has repaired itself.

A scan and a count ask one replica of each range (LOCAL_ONE). What that one has missed is
missed. With --consistency LOCAL_QUORUM they see all rows that were written at
LOCAL_QUORUM, for about twice the work of the servers.

A clone reads most of all replicas (QUORUM): with fewer, deletions that were missed would
bring rows back. With --via stream a load waits for all replicas, in all data centers.

The levels are ` + strings.Join(level.Among, ", ") + `;
ANY is for writes alone. Where there are several replicas, the summary of a run names the
level.`
}

func environmentTopic() string {
	places := config.Places()
	if home, err := os.UserHomeDir(); err == nil {
		for i, p := range places {
			if rest, ok := strings.CutPrefix(p, home+"/"); ok {
				places[i] = "~/" + rest
			}
		}
	}
	return `
Every flag is also a setting of the configuration file and of the environment:
--null-string is null-string in the file and ` + config.EnvName("null-string") + ` in the environment, where a
comma separates the elements of a list. A flag wins over the environment, the
environment over the file, the file over the default.

The file is YAML. It is the one that --config or ` + config.EnvName(config.FileFlag) + ` names, or the first there is of

  ` + strings.Join(places, "\n  ") + `

In it, a section named after a command is for that command alone:

  hosts: [10.0.0.1, 10.0.0.2]
  user: etl
  password-file: /run/secrets/cassandra
  load:
    null-string: NA
    ingestrate: 50k

A setting or a variable that no command knows is an error.

To write such a file with all settings: cqlbulk config init. To see which value of each is
in force, and where it comes from: cqlbulk config show.`
}
