package awskeys

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/stretchr/testify/require"
)

// variables are those that are read.
var variables = []string{
	"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_PROFILE",
	"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
}

// clean takes the environment away, and returns an empty home.
func clean(t *testing.T) string {
	t.Helper()
	for _, name := range variables {
		t.Setenv(name, "")
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	return home
}

func TestSettingsOf(t *testing.T) {
	home := clean(t)
	s, err := SettingsOf()
	require.NoError(t, err)
	require.Zero(t, s)

	require.NoError(t, os.Mkdir(filepath.Join(home, ".aws"), 0o700))
	config := filepath.Join(home, ".aws", "config")
	require.NoError(t, os.WriteFile(config, []byte("[default]\nregion = eu-west-1\n"+
		"s3 =\n  addressing_style = path\n[profile minio]\nendpoint_url = http://minio:9000\n"), 0o600))
	s, err = SettingsOf()
	require.NoError(t, err)
	require.Equal(t, Settings{Region: "eu-west-1"}, s)

	t.Setenv("AWS_PROFILE", "minio")
	t.Setenv("AWS_DEFAULT_REGION", "us-east-2")
	s, err = SettingsOf()
	require.NoError(t, err)
	require.Equal(t, Settings{Region: "us-east-2", Endpoint: "http://minio:9000"}, s)

	t.Setenv("AWS_REGION", "us-west-1")
	t.Setenv("AWS_ENDPOINT_URL", "http://one:1")
	t.Setenv("AWS_ENDPOINT_URL_S3", "http://two:2")
	s, err = SettingsOf()
	require.NoError(t, err)
	require.Equal(t, Settings{Region: "us-west-1", Endpoint: "http://two:2"}, s)

	require.NoError(t, os.WriteFile(config, []byte("[default\n"), 0o600))
	_, err = SettingsOf()
	require.ErrorContains(t, err, config)
}

func TestProvider(t *testing.T) {
	home := clean(t)
	provider := func() credentials.Provider { return Provider(http.DefaultClient, "eu-west-1") }
	require.IsType(t, &credentials.IAM{}, provider())
	require.NoError(t, os.Mkdir(filepath.Join(home, ".aws"), 0o700))
	file := filepath.Join(home, ".aws", "credentials")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.IsType(t, &credentials.FileAWSCredentials{}, provider())
	t.Setenv("AWS_ACCESS_KEY_ID", "a")
	require.IsType(t, &credentials.EnvAWS{}, provider())
}
