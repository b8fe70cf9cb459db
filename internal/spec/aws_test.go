package spec

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
)

func TestAWSLogin(t *testing.T) {
	c := NewConnection("LOCAL_ONE")
	login, err := c.awsLogin()
	require.NoError(t, err)
	require.Nil(t, login)

	c.AWSRegion = "eu-north-1"
	_, err = c.awsLogin()
	require.ErrorContains(t, err, "--aws-region without --ssl")
	c.TLS.On, c.User = true, "me"
	_, err = c.awsLogin()
	require.ErrorContains(t, err, "--aws-region and --user: give one way to log in")
	c.User = ""

	file := filepath.Join(t.TempDir(), "credentials")
	require.NoError(t, os.WriteFile(file, []byte(`
[default]
aws_access_key_id = DEFAULT
aws_secret_access_key = s1
[batch]
aws_access_key_id = BATCH
aws_secret_access_key = s2
aws_session_token = t2
`), 0o600))
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
	t.Setenv("AWS_PROFILE", "batch")
	login, err = c.awsLogin()
	require.NoError(t, err)
	require.Equal(t, "eu-north-1", login.Region)
	keys, err := login.Keys()
	require.NoError(t, err)
	require.Equal(t, driver.AWSKeys{AccessKey: "BATCH", SecretKey: "s2", Session: "t2"}, keys)

	t.Setenv("AWS_ACCESS_KEY_ID", "ENV")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s3")
	login, err = c.awsLogin()
	require.NoError(t, err)
	keys, err = login.Keys()
	require.NoError(t, err)
	require.Equal(t, driver.AWSKeys{AccessKey: "ENV", SecretKey: "s3"}, keys)
}
