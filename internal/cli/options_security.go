package cli

import (
	"crypto/tls"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/driver"
)

// tlsOptions say whether and how connections are secured.
type tlsOptions struct {
	On    bool
	Files driver.TLSFiles
}

const skipVerifyFlag = "ssl-insecure-skip-verify"

func (o *tlsOptions) AddFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.On, "ssl", false, "secure connections by TLS 1.2 or later, and verify each node's certificate: its authority, and that it holds the node's address")
	f.StringVar(&o.Files.CACert, "cacert", "", "PEM file of the authorities to trust (default: the system's)")
	f.StringVar(&o.Files.Cert, "cert", "", "PEM file of the client's certificate, where the nodes ask for one")
	f.StringVar(&o.Files.Key, "key", "", "PEM file of the private key to it, not encrypted")
	f.StringVar(&o.Files.ServerName, "ssl-server-name", "", "name that the certificates of all nodes hold, in place of their addresses")
	f.BoolVar(&o.Files.SkipVerify, skipVerifyFlag, false, "take any certificate, even a forged one; for tests alone")
}

// config makes the configuration of TLS, nil without --ssl, and warns of what
// makes it weak.
func (o *tlsOptions) config(s streams) (*tls.Config, error) {
	if !o.On {
		return nil, o.idle()
	}
	cfg, err := driver.LoadTLS(o.Files)
	if err != nil {
		return nil, err
	}
	if o.Files.SkipVerify {
		s.warn("WARNING: --%s: nothing tells whether the nodes are what they say they are; whoever is in between can read and change all data, the password too", skipVerifyFlag)
	}
	if o.Files.Key != "" {
		s.warnReadable("--key", o.Files.Key)
	}
	return cfg, nil
}

// idle refuses settings that only count with --ssl: who gives one believes that
// the connection is secured.
func (o *tlsOptions) idle() error {
	var given []string
	for _, f := range []struct{ name, value string }{
		{"cacert", o.Files.CACert}, {"cert", o.Files.Cert}, {"key", o.Files.Key}, {"ssl-server-name", o.Files.ServerName},
	} {
		if f.value != "" {
			given = append(given, "--"+f.name)
		}
	}
	if o.Files.SkipVerify {
		given = append(given, "--"+skipVerifyFlag)
	}
	if len(given) > 0 {
		return fmt.Errorf("%s without --ssl: connections would not be secured; add --ssl", strings.Join(given, ", "))
	}
	return nil
}
