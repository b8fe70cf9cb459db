// Package s3test is object storage for tests: a versitygw, which speaks the API of Amazon S3.
//
// Start with [Start]. deploy/object-storage/install puts the program in its place.
package s3test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/stretchr/testify/require"
)

// The keys that a server takes.
const (
	AccessKey = "cqlbulk"
	SecretKey = "of no other server"
	Region    = "us-east-1"
)

// Server is one that runs.
type Server struct {
	URL     string // such as http://127.0.0.1:41234
	client  *minio.Client
	buckets atomic.Int64
}

// Start starts a server that ends with the test. The variable CQLBULK_TEST_S3_SERVER names the
// program where it is in another place than deploy/object-storage/install puts it.
func Start(t testing.TB) *Server {
	t.Helper()
	program := os.Getenv("CQLBULK_TEST_S3_SERVER")
	if program == "" {
		found, err := filepath.Glob("../../../.cache/bin/versitygw-v*")
		require.NoError(t, err)
		require.NotEmpty(t, found, "get versitygw with: deploy/object-storage/install")
		program = found[0]
	}
	address := freeAddress(t)
	run := exec.Command(
		program, "--access", AccessKey, "--secret", SecretKey, "--region", Region,
		"--port", address, "--quiet", "posix", t.TempDir(),
	)
	var said strings.Builder
	run.Stdout, run.Stderr = &said, &said
	require.NoError(t, run.Start())
	t.Cleanup(func() {
		_ = run.Process.Kill() // it has ended, or ends now
		_ = run.Wait()
	})
	client, err := minio.New(address, &minio.Options{
		Creds: credentials.NewStaticV4(AccessKey, SecretKey, ""), Region: Region,
	})
	require.NoError(t, err)
	s := &Server{URL: "http://" + address, client: client}
	require.NoError(t, s.wait(t.Context()), "versitygw said: %s", &said)
	return s
}

// wait waits until the server answers. A request is made again while it does not, by the library.
func (s *Server) wait(ctx context.Context) error {
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
		if err != nil {
			return err
		}
		answer, err := http.DefaultClient.Do(request)
		if err == nil {
			return answer.Body.Close()
		}
		if ctx.Err() != nil {
			return err
		}
	}
}

// freeAddress returns an address that no one listens on.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	return l.Addr().String()
}

// Bucket makes a bucket, and returns its name.
func (s *Server) Bucket(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("bucket-%d", s.buckets.Add(1))
	s.Make(t, name)
	return name
}

// Make makes a bucket.
func (s *Server) Make(t testing.TB, name string) {
	t.Helper()
	require.NoError(t, s.client.MakeBucket(t.Context(), name, minio.MakeBucketOptions{}))
}
