package mistakes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/pkg/levenshtein"
)

// flagsElsewhere are names that other tools, our other commands and habit have for flags, with what
// they are called here. Of several names those count that a command has. A name may have its value
// behind it.
var flagsElsewhere = map[string][]string{
	"null": {
		"null-string",
	},
	"nullval":      {"null-string"},
	"null-strings": {"null-string"},
	"nullstrings":  {"null-string"},
	"rate": {
		"ingestrate",
	},
	"ingestrate": {"rate"},
	"max-rate":   {"ingestrate", "rate"},
	"throttle":   {"ingestrate", "rate"},
	"limit": {
		"maxrows",
	},
	"maxrows":     {"limit"},
	"max-records": {"maxrows", "limit"},
	"rows":        {"maxrows", "limit"},
	"parallel": {
		"inflight",
	},
	"inflight":     {"parallel"},
	"concurrency":  {"parallel", "inflight"},
	"threads":      {"parallel", "inflight"},
	"workers":      {"parallel", "inflight"},
	"jobs":         {"parallel", "inflight"},
	"numprocesses": {"parallel", "inflight"},
	"color": {
		"color=always",
	},
	"colour":      {"color"},
	"no-color":    {"color=never"},
	"no-colour":   {"color=never"},
	"no-progress": {"progress=0"},
	"silent":      {"quiet"},
	"host": {
		"hosts",
	},
	"contact-point":  {"hosts"},
	"contact-points": {"hosts"},
	"contactpoints":  {"hosts"},
	"node":           {"hosts"},
	"nodes":          {"hosts"},
	"server":         {"hosts"},
	"username": {
		"user",
	},
	"login":  {"user"},
	"pass":   {"password"},
	"pw":     {"password"},
	"passwd": {"password"},
	"datacenter": {
		"dc",
	},
	"local-dc":          {"dc"},
	"localdc":           {"dc"},
	"cl":                {"consistency"},
	"consistency-level": {"consistency"},
	"consistencylevel":  {"consistency"},
	"tls": {
		"ssl",
	},
	"ca":              {"cacert"},
	"certificate":     {"cert"},
	"insecure":        {"ssl-insecure-skip-verify"},
	"request-timeout": {"timeout"},
	"requesttimeout":  {"timeout"},
	"delim": {
		"delimiter",
	},
	"separator":            {"delimiter"},
	"sep":                  {"delimiter"},
	"field-separator":      {"delimiter"},
	"fs":                   {"delimiter"},
	"fields-terminated-by": {"delimiter"},
	"quotechar": {
		"quote",
	},
	"quote-char":   {"quote"},
	"escapechar":   {"escape"},
	"comments":     {"comment"},
	"comment-char": {"comment"},
	"charset":      {"encoding"},
	"skip-columns": {
		"skipcols",
	},
	"skip-cols":       {"skipcols"},
	"exclude":         {"skipcols"},
	"ignore-columns":  {"skipcols"},
	"mapping":         {"map"},
	"fields":          {"columns"},
	"skip-header":     {"header"},
	"headers":         {"header"},
	"noheader":        {"header=false"},
	"datetime-format": {"datetimeformat"},
	"timestampformat": {"datetimeformat"},
	"decimal":         {"decimalsep"},
	"thousands":       {"thousandssep"},
	"bool": {
		"boolstyle",
	},
	"booleans":    {"boolstyle"},
	"out":         {"output"},
	"outfile":     {"output"},
	"output-file": {"output"},
	"file":        {"output"},
	"output-dir":  {"dir"},
	"outdir":      {"dir"},
	"folder":      {"dir"},
	"directory":   {"dir"},
	"overwrite": {
		"force",
	},
	"compress":      {"compression"},
	"gzip":          {"compression=gzip"},
	"sha256":        {"file-checksum=sha256"},
	"type":          {"format"},
	"input-format":  {"format"},
	"output-format": {"format"},
	"simulate": {
		"dry-run",
	},
	"dryrun":     {"dry-run"},
	"filter":     {"where"},
	"query":      {"where"},
	"page-size":  {"pagesize"},
	"fetch-size": {"pagesize"},
	"fetchsize":  {"pagesize"},
	"batch-size": {
		"maxbatchsize",
	},
	"batchsize":   {"maxbatchsize"},
	"max-errors":  {"maxparseerrors"},
	"maxerrors":   {"maxparseerrors"},
	"url":         {"output"},
	"max-rejects": {"maxparseerrors"},
	"maxrejects":  {"maxparseerrors"},
	"retries":     {"maxattempts"},
	"max-retries": {"maxattempts"},
	"expire": {
		"ttl",
	},
	"ks":           {"keyspace"},
	"memory-limit": {"memory"},
	"config-file":  {"config"},
	"tmp":          {"temp-dir"},
	"tmpdir":       {"temp-dir"},
	"tempdir":      {"temp-dir"},
	"log":          {"log-file"},
}

// lettersElsewhere are flags of one letter that other tools have, and what they are called here.
var lettersElsewhere = map[byte][]string{
	'u': {
		"user",
	},
	'p': {"port", "password"},
	'f': {"format"},
	'F': {"delimiter"},
	'n': {"dry-run"},
	'v': {"verbose"},
	'c': {"config"},
	'j': {"parallel", "inflight"},
	'l': {"limit", "maxrows"},
	'w': {"where"},
}

// linesBefore are names of flags that other tools have for lines before a header, or for rows; here
// they are two things.
var linesBefore = []string{
	"skip-lines",
	"skip-line",
	"skip-rows",
	"header-lines",
	"headerlines",
	"skip-header-lines",
	"skip-first",
	"skip",
}

// oneCharacter are flags whose value is a character, which a shell often takes for its own.
var oneCharacter = []string{"delimiter", "quote", "escape", "comment"}

// hintFlag is a hint at what the unknown name of a flag is called here; empty: it is not known.
func hintFlag(c *cobra.Command, name string) string {
	if slices.Contains(linesBefore, name) && c.Flags().Lookup("skiprows") != nil {
		return "; --skiplines N passes over lines above the header, and --skiprows N rows behind it"
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if known := calledHere(names, flagsElsewhere[strings.ToLower(name)]); len(known) > 0 {
		return didYouMeanFlags(known[:1])
	}
	if on, isNo := strings.CutPrefix(name, "no-"); isNo {
		if f := longFlag(c, "--"+on); f != nil && f.NoOptDefVal != "" {
			return didYouMeanFlags([]string{on + "=false"})
		}
	}
	if c.Name() == "copy" && isOfLoad(c.Root(), name) {
		return "; a copy has its options in the statement: copy --explain prints the load that does the same, and takes --" +
			name
	}
	if nearest := levenshtein.Nearest(name, names); nearest != "" {
		return didYouMeanFlags([]string{nearest})
	}
	return ""
}

// isOfLoad reports whether a load has a flag of that name.
func isOfLoad(root *cobra.Command, name string) bool {
	load, _, err := root.Find([]string{"load"})
	return err == nil && load.Flags().Lookup(name) != nil
}

// calledHere are those of some flags, with a value or without, that are among names.
func calledHere(names, flags []string) (known []string) {
	for _, flag := range flags {
		if name, _, _ := strings.Cut(flag, "="); slices.Contains(names, name) {
			known = append(known, flag)
		}
	}
	return known
}

func didYouMeanFlags(flags []string) string {
	if len(flags) == 0 {
		return ""
	}
	return "; did you mean --" + strings.Join(flags, " or --") + "?"
}

// hintLetter returns a hint for an unknown flag of one letter: its name here, or the word that it
// begins. It is empty if there is none.
func hintLetter(c *cobra.Command, letter byte, letters string) string {
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if known := calledHere(names, flagsElsewhere[letters]); len(known) > 0 {
		return didYouMeanFlags(known[:1])
	}
	return didYouMeanFlags(calledHere(names, lettersElsewhere[letter]))
}

// hostBehindHelp finds a contact point behind -h, which shows help.
func hostBehindHelp(root *cobra.Command, args []string) error {
	c, rest, err := root.Find(args)
	if err != nil || c.Flags().Lookup("hosts") == nil {
		return nil // reported elsewhere
	}
	for i, word := range rest[:max(len(rest)-1, 0)] {
		if word == "--" {
			return nil
		}
		host := rest[i+1]
		if word == "-h" && !isValue(c, rest, i) && !strings.HasPrefix(host, "-") &&
			(i > 0 || isAddress(host) || host == "localhost") {
			return fmt.Errorf(
				"-h %s: -h shows help; contact points are named with --hosts %[1]s",
				setting.ShellQuote(host),
			)
		}
	}
	return nil
}

// blankInList returns how a list is written whose elements have blanks behind their commas: --hosts
// a, b. Empty: there is no such blank behind the flag at the beginning of words.
func blankInList(f *pflag.Flag, words []string) (typed, meant string) {
	if kind := f.Value.Type(); kind != flagset.ListType && kind != flagset.PairsType {
		return "", ""
	}
	list := words[1]
	n := 2
	for n < len(words) && !strings.HasPrefix(words[n], "-") && (strings.HasSuffix(words[n-1], ",") || strings.HasPrefix(words[n], ",")) {
		list += words[n]
		n++
	}
	if n == 2 {
		return "", ""
	}
	return strings.Join(words[1:n], " "), setting.ShellQuote(list)
}
