package cli

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// connectOptions say which cluster, as whom and how.
type connectOptions struct {
	Hosts        []string
	Port         int
	User         string
	Password     string
	PasswordFile string
	DC           string
	Consistency  string
	Timeout      time.Duration
	Connections  int
	TLS          tlsOptions
	Quiet        bool
	Verbose      bool

	flags *pflag.FlagSet // tell what was typed
}

// AddFlags adds the flags. level is the consistency level by default, empty where that is
// another command's to say, and about is what there is to know of it.
func (o *connectOptions) AddFlags(f *pflag.FlagSet, level, about string) {
	o.flags = f
	f.StringSliceVar(&o.Hosts, "hosts", []string{"127.0.0.1"}, "contact points, each a name or address with or without :port")
	f.IntVar(&o.Port, "port", 9042, "native transport port of the nodes")
	f.StringVar(&o.User, "user", "", "user name, where the cluster asks for one; a password that is given nowhere is asked for at the terminal")
	f.StringVar(&o.Password, "password", "", "password; others can see it in the list of processes, so rather use --password-file or CQLBULK_PASSWORD")
	f.StringVar(&o.PasswordFile, "password-file", "", "file whose first line is the password")
	o.TLS.AddFlags(f)
	f.StringVar(&o.DC, "dc", "", "data center to talk to (default: that of the first contact point)")
	f.StringVar(&o.Consistency, consistencyFlag, level, "consistency level; "+about)
	f.DurationVar(&o.Timeout, "timeout", 30*time.Second, "time limit of one request")
	f.IntVar(&o.Connections, "connections", 2, "connections to each node (ScyllaDB: one to each shard whatever this says)")
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "no progress and no summary: only what is wrong is said")
	f.BoolVar(&o.Verbose, "verbose", false, "show what the driver has to say")
}

// config makes the driver's configuration. It may ask the user for a password, so
// that everything else is checked before.
func (o *connectOptions) config(s streams) (driver.Config, error) {
	level, err := driver.ParseConsistency(o.Consistency)
	if err != nil {
		return driver.Config{}, fmt.Errorf("--%s: %w", consistencyFlag, err)
	}
	if o.Timeout <= 0 {
		return driver.Config{}, fmt.Errorf("--timeout %s: must be above zero", o.Timeout)
	}
	if o.Connections < 1 {
		return driver.Config{}, fmt.Errorf("--connections %d: must be at least 1", o.Connections)
	}
	if o.Port < 1 || o.Port > 65535 {
		return driver.Config{}, fmt.Errorf("--port %d: must be from 1 to 65535", o.Port)
	}
	secured, err := o.TLS.config(s)
	if err != nil {
		return driver.Config{}, err
	}
	if err := o.settlePassword(s); err != nil {
		return driver.Config{}, err
	}
	cfg := driver.Config{
		Hosts: o.Hosts, Port: o.Port, User: o.User, Password: o.Password, DC: o.DC, Consistency: level,
		Timeout: o.Timeout, Connections: o.Connections, TLS: secured,
		Version: Version(), Warnf: s.warn,
	}
	if o.Verbose {
		cfg.Logf = func(format string, args ...any) {
			s.warn("driver: %s", strings.TrimRight(fmt.Sprintf(format, args...), "\n"))
		}
	}
	return cfg, nil
}

// tableOptions name the table.
type tableOptions struct {
	Keyspace string
	Table    string
}

func (o *tableOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVarP(&o.Keyspace, "keyspace", "k", "", "keyspace, where the table is not given as keyspace.table")
	f.StringVarP(&o.Table, "table", "t", "", "table (or keyspace.table)")
}

// take finds the table among the settings and the arguments and returns the
// arguments that are left. An argument of the form keyspace.table that is not a
// file wins over the settings; flags on the command line win over arguments.
func (o *tableOptions) take(c *cobra.Command, args []string) ([]string, error) {
	typed := c.Flags().Changed("table")
	if len(args) > 0 && !typed && (o.Table == "" || looksLikeTable(args[0])) {
		o.Table, args = args[0], args[1:]
	}
	if o.Table == "" {
		return nil, fmt.Errorf("no table given: say cqlbulk %s keyspace.table", c.Name())
	}
	parts, err := splitName(o.Table)
	if err != nil {
		return nil, fmt.Errorf("table %q: %w", o.Table, err)
	}
	if len(parts) == 2 {
		o.Keyspace, o.Table = parts[0], parts[1]
		return args, nil
	}
	o.Table = parts[0]
	if o.Keyspace == "" {
		return nil, fmt.Errorf("table %q: no keyspace given: say keyspace.table, or use --keyspace", o.Table)
	}
	keyspace, err := splitName(o.Keyspace)
	if err != nil || len(keyspace) != 1 {
		return nil, fmt.Errorf("keyspace %q is not a name", o.Keyspace)
	}
	o.Keyspace = keyspace[0]
	return args, nil
}

// looksLikeTable says whether an argument is keyspace.table rather than a file.
func looksLikeTable(arg string) bool {
	if _, err := os.Stat(arg); err == nil || strings.ContainsAny(arg, `/\*?[`) {
		return false
	}
	parts, err := splitName(arg)
	return err == nil && len(parts) == 2
}

// formatOptions describe delimited text.
type formatOptions struct {
	Delimiter string
	Quote     string
	Header    bool
	Columns   []string

	ColumnOrder string
}

func (o *formatOptions) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Delimiter, "delimiter", ",", `what stands between fields, one character; \t is a tab`)
	f.StringVar(&o.Quote, "quote", `"`, "what stands around fields that need it, one character")
	f.BoolVar(&o.Header, "header", true, "the first line of each file names the columns")
}

// format gives the delimiters of text in a form (csv, tsv, json). In tsv a tab
// takes the place of the comma, unless that was asked for.
func (o *formatOptions) format(c *cobra.Command, form string) (dsv.Format, error) {
	if form == "tsv" && !c.Flags().Changed("delimiter") && o.Delimiter == "," {
		o.Delimiter = `\t`
	}
	var format dsv.Format
	for _, c := range []struct {
		flag, text string
		into       *byte
	}{{"delimiter", o.Delimiter, &format.Delimiter}, {"quote", o.Quote, &format.Quote}} {
		text := strings.ReplaceAll(c.text, `\t`, "\t")
		if len(text) != 1 {
			return format, fmt.Errorf("--%s %q: must be one ASCII character", c.flag, c.text)
		}
		*c.into = text[0]
	}
	if err := format.Validate(); err != nil {
		return format, fmt.Errorf("--delimiter or --quote: %w", err)
	}
	return format, nil
}
