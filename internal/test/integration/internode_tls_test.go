//go:build integration

package integration

import (
	"crypto/tls"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/internode"
)

// onlyStorage is the storage port of the node of a cluster that has one.
func onlyStorage(t *testing.T, s *driver.Session) (node string) {
	t.Helper()
	byID, err := s.StorageAddresses(t.Context())
	require.NoError(t, err)
	require.Len(t, byID, 1)
	for _, node = range byID {
	}
	return node
}

// The nodes of that cluster speak TLS to each other, and want to see certificates; passwords are
// not asked for on that port.
func TestStreamedInByTLS(t *testing.T) {
	asAdmin(
		t,
		guarded,
		"DROP TABLE IF EXISTS guarded.streamed",
		"CREATE TABLE guarded.streamed "+streamedBody,
	)
	admin := adminSession(t)
	defer admin.Close()
	node := onlyStorage(t, admin)
	settings := func(f driver.TLSFiles) *tls.Config {
		c, err := driver.LoadTLS(f)
		require.NoError(t, err)
		return c
	}
	ca, cert, key := tlsFile(t, "ca.pem"), tlsFile(t, "client.pem"), tlsFile(t, "client-key.pem")
	otherCert, otherKey := stranger(t)
	files := []internode.File{
		streamed(t, admin, "guarded.streamed", 1, streamedPartition(1, 2, "secret")),
	}
	for name, c := range map[string]struct {
		tls  *tls.Config
		want string
	}{
		"plain":                         {nil, "the node wants TLS"},
		"no certificate":                {settings(driver.TLSFiles{CACert: ca}), "wants a certificate of the client"},
		"a certificate of no authority": {settings(driver.TLSFiles{CACert: ca, Cert: otherCert, Key: otherKey}), "certificate"},
		"another authority":             {settings(driver.TLSFiles{CACert: otherCert, Cert: cert, Key: key}), "authority that is not trusted"},
		"a name that the node has not":  {settings(driver.TLSFiles{CACert: ca, Cert: cert, Key: key, ServerName: "node.example"}), "not for that node"},
	} {
		client := internode.Client{TLS: c.tls}
		_, err := client.Stream(t.Context(), node, files, internode.Watch{})
		require.Equal(t, internode.TLS, internode.KindOf(err), "%s: %v", name, err)
		require.ErrorContains(t, err, c.want, name)
	}
	client := internode.Client{TLS: settings(driver.TLSFiles{CACert: ca, Cert: cert, Key: key})}
	probed, err := client.Probe(t.Context(), node)
	require.NoError(t, err)
	require.Equal(t, internode.Probed{Version: 12}, probed)
	_, err = client.Stream(t.Context(), node, files, internode.Watch{})
	require.NoError(t, err)
	t.Setenv("CQLBULK_USER", "cassandra")
	t.Setenv("CQLBULK_PASSWORD", "cassandra")
	flags := []string{
		"--via",
		"stream",
		"--internode-ssl",
		"--internode-cacert",
		ca,
		"--internode-cert",
		cert,
		"--internode-key",
		key,
	}
	loaded := cqlbulkOn(
		t,
		authHost(),
		append(
			[]string{"load", "guarded.streamed", file(t, "more.csv", "k,c,v\n1,3,more\n")},
			flags...)...)
	require.Zero(t, loaded.code, loaded.report)
	out := cqlbulkOn(t, authHost(), "scan", "guarded.streamed", "--header=false")
	require.Equal(t, "1,2,secret\n1,3,more\n", out.out, out.report)
}

// Such a node brings files by TLS as well, to a listener whose certificate it trusts, and shows its
// own.
func TestAskedForByTLS(t *testing.T) {
	asAdmin(
		t,
		guarded,
		"DROP TABLE IF EXISTS guarded.asked",
		"CREATE TABLE guarded.asked "+streamedBody,
		"INSERT INTO guarded.asked (k, c, v) VALUES (1, 2, 'secret')",
	)
	admin := adminSession(t)
	defer admin.Close()
	node := onlyStorage(t, admin)
	ca, cert, key := tlsFile(t, "ca.pem"), tlsFile(t, "client.pem"), tlsFile(t, "client-key.pem")
	ours, err := driver.LoadTLS(driver.TLSFiles{CACert: ca, Cert: cert, Key: key})
	require.NoError(t, err)
	otherCert, otherKey := stranger(t)
	others, err := driver.LoadTLS(driver.TLSFiles{CACert: ca, Cert: otherCert, Key: otherKey})
	require.NoError(t, err)
	client := internode.Client{TLS: ours}
	for name, c := range map[string]struct {
		tls  *tls.Config
		want string
	}{
		"TLS":                           {ours, ""},
		"plain":                         {nil, "speaks TLS, and the listener does not"},
		"a certificate of no authority": {others, "refused the certificate that it was shown"},
	} {
		l, err := internode.Listen(":0", c.tls)
		require.NoError(t, err)
		err = client.CheckReach(t.Context(), node, l)
		if c.want != "" {
			require.Equal(t, internode.Unreached, internode.KindOf(err), "%s: %v", name, err)
			require.ErrorContains(t, err, c.want, name)
		} else {
			require.NoError(t, err)
			got := newFetchedRows()
			_, err = client.Fetch(
				t.Context(),
				node,
				l,
				request("guarded.asked", wholeRing),
				got.receive,
			)
			require.NoError(t, err)
			require.Equal(t, map[[2]int32]string{{1, 2}: "secret"}, got.values)
		}
		require.NoError(t, l.Close())
	}
	_, err = (&internode.Client{}).Estimate(t.Context(), node, request("guarded.asked", wholeRing))
	require.Equal(t, internode.TLS, internode.KindOf(err), "%v", err)
}
