package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/cli/mistakes"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// addConnectionFlags adds the flags that say which cluster, as whom and how. level is what
// there is to know of the consistency level.
func addConnectionFlags(b flagset.Binder, level string) {
	b = b.In(flagset.GroupConnection)
	b.Add("hosts", "contact points; each a name or address with or without :port", flagset.Everyday)
	b.Add("port", "native transport port of the nodes")
	b.Add(
		"user",
		"user name, where the cluster asks for one",
		flagset.Everyday,
	)
	b.Add(
		"password",
		"password; others can see it in the list of processes, so rather use --password-file or CQLBULK_PASSWORD",
	)
	b.Add("password-file", "file whose first line is the password")
	b.Add(
		"ssl",
		"secure connections by TLS; 1.2 or later, each node's certificate and its address are verified",
		flagset.Everyday,
	)
	addCertificateFlags(b, "", "")
	b.Add("consistency", "consistency level; "+level, flagset.Everyday)
	b.Add("timeout", "time limit of one request")
	addNodeFlags(b.In(flagset.GroupNodes))
}

// addNodeFlags adds the flags that say which nodes requests are sent to, and how they are reached.
func addNodeFlags(b flagset.Binder) {
	b.Add("dc", "data center (default: the first contact point's)")
	b.Add("allow-nodes", "addresses of the nodes that requests are sent to (default: all)")
	b.Add("deny-nodes", "addresses of nodes that no request is sent to; others send them theirs")
	b.Add(
		"address-map",
		"where nodes behind NAT, forwarded ports or a proxy are reached: NODE=ADDRESS or NODE=ADDRESS:PORT; NODE is also a subnet, or * for all",
	)
	b.Add(
		"secure-connect-bundle",
		"zip file of a cloud database (Astra DB), in the place of --hosts and --ssl",
	)
	b.Add(
		"aws-region",
		"log in to Amazon Keyspaces in this region with AWS credentials (SigV4)",
	)
	b.Add("connections", "connections to each node (with ScyllaDB always one to each shard)")
	b.Add(
		"protocol-compression",
		"CQL frames: auto, lz4, none; auto is lz4 from a round trip of 2 ms on",
	)
}

// addCertificateFlags adds the flags of the certificates of TLS, with a prefix, of what when says.
func addCertificateFlags(b flagset.Binder, prefix, when string) {
	b.Add(prefix+"cacert", when+"PEM file of the authorities to trust (default: the system's)")
	b.Add(
		prefix+"cert",
		when+"PEM file of a certificate of this client, where the nodes ask for one",
	)
	b.Add(prefix+"key", when+"PEM file of the private key to it, not encrypted")
	b.Add(
		prefix+"ssl-server-name",
		when+"name that the certificates of all nodes hold, in place of their addresses",
	)
	b.Add(
		prefix+"ssl-insecure-skip-verify",
		when+"take any certificate, even a forged one; for tests alone",
	)
}

// addTextFlags adds the flags of delimited text.
func addTextFlags(b flagset.Binder) {
	b = b.In(flagset.GroupFormat)
	b.Add("delimiter", `character, or several, between fields; \t is a tab`, flagset.Everyday)
	b.Add("quote", `character around fields that need it`)
	b.Add("header", "the first line of each file names the columns", flagset.Everyday)
}

// orderHelp says which orders of columns there are.
const orderHelp = "table: key columns, then static ones, then the others by name; or cqlsh: key columns, then all others by name, as COPY has them"

// tableOptions name the table.
type tableOptions struct {
	Keyspace string
	Table    string
}

func (o *tableOptions) AddFlags(f *pflag.FlagSet) {
	flagset.AddOwn(
		f,
		&o.Keyspace,
		"keyspace",
		"keyspace, where the table is not given as keyspace.table",
		flagset.Of(flagset.GroupInput),
		flagset.Letter("k"),
	)
	flagset.AddOwn(f, &o.Table, "table", "table (or keyspace.table)", flagset.Of(flagset.GroupInput), flagset.Letter("t"))
}

// find finds the table among the settings and the arguments and returns the
// arguments that are left. An argument of the form keyspace.table that is not a
// file wins over the settings; flags on the command line win over arguments.
func (o *tableOptions) find(c *cobra.Command, args []string) (spec.TableName, []string, error) {
	var none spec.TableName
	table, typed := o.Table, c.Flags().Changed("table")
	if table == "" {
		if err := mistakes.Swapped(c, args); err != nil {
			return none, nil, err
		}
	}
	if len(args) > 0 && !typed && (table == "" || mistakes.LooksLikeTable(args[0])) {
		table, args = args[0], args[1:]
	}
	if table == "" {
		return none, nil, fmt.Errorf("no table given: say cqlbulk %s keyspace.table", c.Name())
	}
	parts, err := schema.SplitName(table)
	if err != nil {
		return none, nil, fmt.Errorf("table %q: %w", table, err)
	}
	if len(parts) == 2 {
		return spec.TableName{Keyspace: parts[0], Table: parts[1]}, args, nil
	}
	if o.Keyspace == "" && len(args) > 0 && isBareName(args[0]) {
		return none, nil, fmt.Errorf(
			"table %q: no keyspace given: did you mean %s.%s?",
			parts[0],
			table,
			args[0],
		)
	}
	if o.Keyspace == "" {
		return none, nil, fmt.Errorf(
			"table %q: no keyspace given: say keyspace.table, or use --keyspace",
			parts[0],
		)
	}
	keyspace, err := schema.SplitName(o.Keyspace)
	if err != nil || len(keyspace) != 1 {
		return none, nil, fmt.Errorf("keyspace %q is not a name", o.Keyspace)
	}
	return spec.TableName{Keyspace: keyspace[0], Table: parts[0]}, args, nil
}

// findOr is find, unless a statement has named the table. The first argument may be that table,
// too.
func (o *tableOptions) findOr(
	c *cobra.Command,
	args []string,
	named spec.TableName,
) (spec.TableName, []string, error) {
	if named == (spec.TableName{}) {
		return o.find(c, args)
	}
	if c.Flags().Changed("table") {
		return named, nil, errors.New("--table and --query: the statement names the table")
	}
	if len(args) > 0 {
		first, err := schema.SplitName(args[0])
		if err == nil && slices.Equal(first, []string{named.Keyspace, named.Table}) {
			args = args[1:]
		}
	}
	return named, args, nil
}

// findAlone finds the table of a command that takes nothing else.
func (o *tableOptions) findAlone(
	c *cobra.Command,
	args []string,
) (spec.TableName, []string, error) {
	name, args, err := o.find(c, args)
	if err == nil && len(args) > 0 {
		err = fmt.Errorf("unexpected argument %q", args[0])
	}
	return name, nil, err
}

// isBareName says whether an argument is a name without a keyspace rather than a file.
func isBareName(arg string) bool {
	if _, err := os.Stat(arg); err == nil || strings.ContainsAny(arg, `/\*?[.`) {
		return false
	}
	parts, err := schema.SplitName(arg)
	return err == nil && len(parts) == 1
}
