package spec

import (
	"crypto/tls"
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
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
		{Name: o.Name("ssl"), Field: &o.On},
		{Name: o.Name("cacert"), Field: &o.Files.CACert, Use: setting.Path},
		{Name: o.Name("cert"), Field: &o.Files.Cert, Use: setting.Path},
		{Name: o.Name("key"), Field: &o.Files.Key, Use: setting.Path},
		{Name: o.Name("ssl-server-name"), Field: &o.Files.ServerName},
		{Name: o.Name(skipVerifyFlag), Field: &o.Files.SkipVerify},
	}
}

// Name is that of a setting: those of the nodes' own port have another prefix.
func (o *TLS) Name(setting string) string { return o.Files.Prefix + setting }

const skipVerifyFlag = "ssl-insecure-skip-verify"

// Config makes the configuration of TLS, nil without --ssl, and warns of what
// makes it weak.
func (o *TLS) Config(env Environment) (*tls.Config, error) {
	if !o.On {
		return nil, o.idle()
	}
	cfg, err := driver.LoadTLS(o.Files)
	if err != nil {
		return nil, err
	}
	if o.Files.SkipVerify {
		env.Warn(
			"WARNING: --%s: the identity of the nodes is not verified. An attacker on the network can read and change all data, the password too",
			o.Name(skipVerifyFlag),
		)
	}
	if o.Files.Key != "" {
		env.WarnReadable("--"+o.Name("key"), o.Files.Key)
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
			given = append(given, "--"+o.Name(f.name))
		}
	}
	if o.Files.SkipVerify {
		given = append(given, "--"+o.Name(skipVerifyFlag))
	}
	if len(given) > 0 {
		return fmt.Errorf(
			"%s without --%s: connections would not be secured; add --%[2]s",
			strings.Join(given, ", "),
			o.Name("ssl"),
		)
	}
	return nil
}
