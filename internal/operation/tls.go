package operation

import (
	"crypto/tls"
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/operation/setting"
)

// TLS says whether and how connections are secured.
type TLS struct {
	On    bool
	Files driver.TLSFiles
}

// newInternode is that of the port that nodes speak to each other on.
func newInternode() TLS { return TLS{Files: driver.TLSFiles{Prefix: "internode-"}} }

func (o *TLS) settings() setting.List {
	return setting.List{
		{Name: o.name("ssl"), Field: &o.On},
		{Name: o.name("cacert"), Field: &o.Files.CACert, Use: setting.Path},
		{Name: o.name("cert"), Field: &o.Files.Cert, Use: setting.Path},
		{Name: o.name("key"), Field: &o.Files.Key, Use: setting.Path},
		{Name: o.name("ssl-server-name"), Field: &o.Files.ServerName},
		{Name: o.name(skipVerifyFlag), Field: &o.Files.SkipVerify},
	}
}

// name is that of a setting: those of the nodes' own port have another prefix.
func (o *TLS) name(setting string) string { return o.Files.Prefix + setting }

const skipVerifyFlag = "ssl-insecure-skip-verify"

// config makes the configuration of TLS, nil without --ssl, and warns of what
// makes it weak.
func (o *TLS) config(env Environment) (*tls.Config, error) {
	if !o.On {
		return nil, o.idle()
	}
	cfg, err := driver.LoadTLS(o.Files)
	if err != nil {
		return nil, err
	}
	if o.Files.SkipVerify {
		env.Warn("WARNING: --%s: nothing tells whether the nodes are what they say they are; whoever is in between can read and change all data, the password too", o.name(skipVerifyFlag))
	}
	if o.Files.Key != "" {
		env.WarnReadable("--"+o.name("key"), o.Files.Key)
	}
	return cfg, nil
}

// idle refuses settings that only count with --ssl: who gives one believes that
// the connection is secured.
func (o *TLS) idle() error {
	var given []string
	for _, f := range []struct{ name, value string }{
		{"cacert", o.Files.CACert}, {"cert", o.Files.Cert}, {"key", o.Files.Key}, {"ssl-server-name", o.Files.ServerName},
	} {
		if f.value != "" {
			given = append(given, "--"+o.name(f.name))
		}
	}
	if o.Files.SkipVerify {
		given = append(given, "--"+o.name(skipVerifyFlag))
	}
	if len(given) > 0 {
		return fmt.Errorf("%s without --%s: connections would not be secured; add --%[2]s", strings.Join(given, ", "), o.name("ssl"))
	}
	return nil
}
