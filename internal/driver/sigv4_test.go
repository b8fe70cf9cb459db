package driver

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// The keys, the nonce and the signature are those of the tests of AWS' plugins for drivers.
func TestSigV4(t *testing.T) {
	keys, failed := AWSKeys{AccessKey: "UserID-1", SecretKey: "UserSecretKey-1"}, error(nil)
	login := sigV4{
		login: &AWSLogin{
			Region: "us-west-2",
			Keys:   func() (AWSKeys, error) { return keys, failed },
		},
		now: func() time.Time { return time.Unix(1591742511, 0) },
	}
	const want = "signature=7f3691c18a81b8ce7457699effbfae5b09b4e0714ab38c1292dbdf082c9ddd87," +
		"access_key=UserID-1,amzdate=2020-06-09T22:41:51.000Z"

	first, next, err := login.Challenge([]byte("org.apache.cassandra.auth.PasswordAuthenticator"))
	require.NoError(t, err)
	require.Equal(t, "SigV4\x00\x00", string(first))

	answer, _, err := next.Challenge([]byte("nonce=91703fdc2ef562e19fbdab0f58e42fe5"))
	require.NoError(t, err)
	require.Equal(t, want, string(answer))

	keys.Session = "sess-token-1"
	answer, _, err = next.Challenge([]byte("realm=x,nonce=91703fdc2ef562e19fbdab0f58e42fe5,more"))
	require.NoError(t, err)
	require.Equal(t, want+",session_token=sess-token-1", string(answer))

	_, _, err = next.Challenge([]byte("buffer1"))
	require.ErrorContains(t, err, `the server sent no nonce: "buffer1"`)
	failed = errors.New("no identity")
	_, _, err = next.Challenge([]byte("nonce=1"))
	require.ErrorContains(t, err, "AWS credentials: no identity")
}

// A cluster that asks for a signature lets in who signs with the right key, and says so of others.
func TestLoginBySigV4(t *testing.T) {
	const nonce = "91703fdc2ef562e19fbdab0f58e42fe5"
	admit := func(response []byte) message.Message {
		if string(response) == "SigV4\x00\x00" {
			return &message.AuthChallenge{Token: []byte("nonce=" + nonce)}
		}
		_, stamp, _ := strings.Cut(string(response), "amzdate=")
		at, err := time.Parse(time.RFC3339, stamp)
		keys := AWSKeys{AccessKey: "id", SecretKey: "right"}
		if err != nil || string(response) != signNonce(nonce, "eu-north-1", keys, at) {
			return &message.AuthenticationError{ErrorMessage: "Authentication failure: bad signature"}
		}
		return &message.AuthSuccess{}
	}
	c, err := simcluster.Start(
		simcluster.Options{Base: simcluster.Anywhere, Rows: 1, Cores: 4, Admit: admit},
	)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	login := func(secret string) (*Session, error) {
		return Connect(t.Context(), Config{
			Hosts: c.Hosts()[:1],
			Port:  c.Port(),
			AWS: &AWSLogin{Region: "eu-north-1", Keys: func() (AWSKeys, error) {
				return AWSKeys{AccessKey: "id", SecretKey: secret}, nil
			}},
		})
	}
	s, err := login("right")
	require.NoError(t, err)
	defer s.Close()
	nodes, err := s.Topology(t.Context())
	require.NoError(t, err)
	wantMembers(t, c, nodes)

	_, err = login("wrong")
	require.ErrorContains(t, err, "the cluster refused the AWS credentials")
}
