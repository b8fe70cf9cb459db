package driver

import (
	"archive/zip"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strconv"
	"time"
)

// Bundle is a secure connect bundle. By this zip file clients reach a database of Astra DB, or
// nodes behind a proxy of that kind. It has no addresses of nodes. A metadata service, whose
// address it has, names the proxy and the host ids of some nodes (bundle_proxy.go). DataStax'
// drivers define the format: CloudConfigFactory.java of the Java driver, version 4, and
// cassandra/datastax/cloud of the Python driver.
type Bundle struct {
	path           string
	service        string // address and port of the metadata service
	host           string // that address
	User, Password string // of older bundles; empty: it has none
	tls            *tls.Config
}

// bundleConfig is config.json of a bundle.
type bundleConfig struct {
	Host     string `json:"host"`
	Port     int    `json:"port"`
	Username string `json:"username"`
	Password string `json:"password"`
}

// These bound the files of a bundle, which are a few KiB, and the bundle.
const maxBundleFile, maxBundle = 1 << 20, 16 << 20

// LoadBundle reads a bundle. Its errors name the file, and never its contents.
func LoadBundle(path string) (*Bundle, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, maxBundle))
	if err != nil {
		return nil, err
	}
	return parseBundle(path, data)
}

func parseBundle(path string, data []byte) (*Bundle, error) {
	b := &Bundle{path: path}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, b.damaged("it is not a zip file, or only a part of one (%v)", err)
	}
	var config bundleConfig
	text, err := b.read(archive, "config.json")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &config); err != nil {
		return nil, b.damaged("config.json: %v", err)
	}
	if config.Host == "" || config.Port < 1 || config.Port > 65535 {
		return nil, b.damaged("config.json: no host, or no port from 1 to 65535")
	}
	b.host, b.service = config.Host, net.JoinHostPort(config.Host, strconv.Itoa(config.Port))
	b.User, b.Password = config.Username, config.Password
	b.tls, err = b.loadTLS(archive)
	return b, err
}

func (b *Bundle) damaged(format string, args ...any) error {
	return fmt.Errorf("%s is no secure connect bundle: %s", b.path, fmt.Sprintf(format, args...))
}

// read returns a file of the bundle.
func (b *Bundle) read(archive *zip.Reader, name string) ([]byte, error) {
	file, err := archive.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, b.damaged("there is no %s in it", name)
	}
	if err != nil {
		return nil, b.damaged("%s: %v", name, err)
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxBundleFile+1))
	switch {
	case err != nil:
		return nil, b.damaged("%s: %v", name, err)
	case len(text) > maxBundleFile:
		return nil, b.damaged("%s has more than %d bytes", name, maxBundleFile)
	}
	return text, nil
}

// loadTLS makes the configuration of TLS for the metadata service.
func (b *Bundle) loadTLS(archive *zip.Reader) (*tls.Config, error) {
	var files [3][]byte
	for i, name := range []string{"ca.crt", "cert", "key"} {
		text, err := b.read(archive, name)
		if err != nil {
			return nil, err
		}
		files[i] = bytes.TrimSpace(text)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(files[0]) {
		return nil, b.damaged("ca.crt has no certificate in PEM form")
	}
	pair, err := tls.X509KeyPair(files[1], files[2])
	if err != nil {
		return nil, b.damaged("cert and key: %v", err)
	}
	if ends := pair.Leaf.NotAfter; time.Now().After(ends) {
		return nil, fmt.Errorf(
			"%s: its certificate ended on %s: download the bundle again",
			b.path, ends.UTC().Format(time.DateOnly),
		)
	}
	return &tls.Config{
		MinVersion:   tls.VersionTLS12,
		RootCAs:      roots,
		Certificates: []tls.Certificate{pair},
	}, nil
}

// Ends returns when the client's certificate of the bundle expires.
func (b *Bundle) Ends() time.Time { return ClientEnds(b.tls) }
