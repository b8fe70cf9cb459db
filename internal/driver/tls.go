package driver

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strings"
)

// TLSFiles are the settings of secured connections. All files are PEM. An empty name leaves that
// part out.
type TLSFiles struct {
	CACert     string // certificates of the trusted authorities; empty: the system's
	Cert, Key  string // the client's certificate, with its chain, and its private key
	ServerName string // name in the nodes' certificates; empty: each node's own address
	SkipVerify bool   // accept any certificate
	// prefix of flags in errors: "internode-" makes --internode-cert of --cert
	Prefix string
}

// flag returns the name of a flag in errors.
func (f *TLSFiles) flag(name string) string { return "--" + f.Prefix + name }

// LoadTLS reads the files and returns a configuration for [Config]: at least TLS 1.2, and every
// node's certificate checked by chain and name. Its errors name the flag and the file, never the
// file's contents.
func LoadTLS(f TLSFiles) (*tls.Config, error) {
	cfg := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		ServerName:         f.ServerName,
		InsecureSkipVerify: f.SkipVerify,
	}
	if f.CACert != "" {
		_, blocks, err := readPEM(f.flag("cacert"), f.CACert, isCertificate, "certificate")
		if err != nil {
			return nil, err
		}
		cfg.RootCAs = x509.NewCertPool()
		for i, block := range blocks {
			cert, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				return nil, fmt.Errorf(
					"%s %s: certificate %d: %w",
					f.flag("cacert"),
					f.CACert,
					i+1,
					err,
				)
			}
			cfg.RootCAs.AddCert(cert)
		}
	}
	switch {
	case f.Cert == "" && f.Key == "":
		return cfg, nil
	case f.Key == "":
		return nil, fmt.Errorf(
			"%s %s: the private key to it is missing: name it with %s",
			f.flag("cert"),
			f.Cert,
			f.flag("key"),
		)
	case f.Cert == "":
		return nil, fmt.Errorf(
			"%s %s: the certificate to it is missing: name it with %s",
			f.flag("key"),
			f.Key,
			f.flag("cert"),
		)
	}
	pair, err := f.loadPair()
	if err != nil {
		return nil, err
	}
	cfg.Certificates = []tls.Certificate{pair}
	return cfg, nil
}

func (f *TLSFiles) loadPair() (tls.Certificate, error) {
	certs, _, err := readPEM(f.flag("cert"), f.Cert, isCertificate, "certificate")
	if err != nil {
		return tls.Certificate{}, err
	}
	keys, blocks, err := readPEM(f.flag("key"), f.Key, isKey, "private key")
	if err != nil {
		return tls.Certificate{}, err
	}
	for _, block := range blocks {
		if block.Type == "ENCRYPTED PRIVATE KEY" ||
			strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED") {
			return tls.Certificate{}, fmt.Errorf(
				"%s %s: the private key is encrypted, which is not supported; decrypt it (openssl pkey -in FILE -out NEW) into a file that is yours alone to read",
				f.flag("key"),
				f.Key,
			)
		}
	}
	pair, err := tls.X509KeyPair(certs, keys)
	switch {
	case err == nil:
		return pair, nil
	case strings.Contains(err.Error(), "does not match public key"):
		return pair, fmt.Errorf(
			"%s %s: the private key does not belong to the certificate of %s %s",
			f.flag("key"),
			f.Key,
			f.flag("cert"),
			f.Cert,
		)
	default:
		return pair, fmt.Errorf(
			"%s %s with %s %s: %w",
			f.flag("cert"),
			f.Cert,
			f.flag("key"),
			f.Key,
			err,
		)
	}
}

func isCertificate(kind string) bool { return kind == "CERTIFICATE" }
func isKey(kind string) bool         { return strings.HasSuffix(kind, "PRIVATE KEY") }

// readPEM reads a file. It returns its text with only the blocks of the wanted kind, at least one.
func readPEM(
	flag, path string,
	wanted func(kind string) bool,
	what string,
) ([]byte, []*pem.Block, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", flag, err)
	}
	var found []*pem.Block
	var others []string
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if wanted(block.Type) {
			found = append(found, block)
		} else {
			others = append(others, block.Type)
		}
	}
	if len(found) > 0 {
		return data, found, nil
	}
	var instead string
	switch {
	case len(others) > 0:
		instead = "it holds " + strings.Join(others, ", ")
	case len(data) == 0:
		instead = "it is empty"
	case bytes.HasPrefix(data, []byte{0xfe, 0xed, 0xfe, 0xed}):
		instead = "it is a Java keystore; turn it into PKCS #12 with keytool -importkeystore -deststoretype PKCS12, and that into PEM with openssl pkcs12"
	case data[0] == 0x30: // an ASN.1 sequence
		instead = "it is binary; openssl pkcs12 makes PEM of a PKCS #12 keystore, openssl x509 -inform der or openssl pkey -inform der of anything else"
	default:
		instead = "is that the right file?"
	}
	return nil, nil, fmt.Errorf("%s %s: no %s in PEM form in it: %s", flag, path, what, instead)
}

// errNoTLS recognizes the answer of a server that does not speak TLS.
func errNoTLS(err error) bool {
	var header tls.RecordHeaderError
	return errors.As(err, &header)
}
