package doctest

// notRun lists the commands of the manual that no test runs, and why.
var notRun = []struct{ page, words, why string }{
	{"README.md", "make demo", "starts a Cassandra of its own"},
	{"README.md", "make test", "is what runs this"},
	{
		"README.md",
		"git clone https://github.com/cqlbulk/cqlbulk && cd cqlbulk",
		"fetches from the net",
	},
	{"README.md", "make build", "builds the program into the repository"},
	{"README.md", "make dist", "make test-dist runs it"},
	{
		"docs/install.md",
		"git clone https://github.com/cqlbulk/cqlbulk && cd cqlbulk",
		"fetches from the net",
	},
	{"docs/install.md", "make build", "builds the program into the repository"},
	{"docs/install.md", "make dist", "make test-dist runs it"},
	{
		"docs/install.md",
		"apt-get install ./dist/cqlbulk_*_amd64.deb",
		"make test-dist installs the package",
	},
	{
		"docs/install.md",
		"systemctl enable --now cqlbulk-export@demo.flights.timer",
		"needs systemd as process 1",
	},
	{
		"docs/install.md",
		"systemctl start cqlbulk-export@demo.flights",
		"needs systemd as process 1; what it starts runs in internal/cli, export.txtar",
	},
	{
		"docs/clone.md",
		"cqlbulk clone demo.flights --from-hosts 10.0.0.1 --hosts 10.1.0.1",
		"needs two clusters; the clone below it is the same but for that",
	},
}

// NotRun says why no test runs a command, where that is so. Remarks in it do not count.
func NotRun(c Command) (why string, listed bool) {
	for _, n := range notRun {
		if n.page == c.Page && n.words == c.Words() {
			return n.why, true
		}
	}
	return "", false
}
