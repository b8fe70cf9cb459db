// Package awskeys finds the access keys of AWS that belong to this process.
//
// Start with [Provider].
package awskeys

import (
	"net/http"
	"os"
	"path/filepath"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Provider returns the one place that has the keys, so that a mistake there is shown, and no other
// identity logs in. It is the environment (AWS_ACCESS_KEY_ID), the file of credentials with its
// profiles (AWS_SHARED_CREDENTIALS_FILE, AWS_PROFILE), or the role of the machine, task or pod. The
// client asks the service that has the keys of a role.
func Provider(client *http.Client, region string) credentials.Provider {
	_, missing := os.Stat(sharedFile("AWS_SHARED_CREDENTIALS_FILE", "credentials"))
	switch {
	case os.Getenv("AWS_ACCESS_KEY_ID") != "" || os.Getenv("AWS_SECRET_ACCESS_KEY") != "":
		return &credentials.EnvAWS{}
	case os.Getenv("AWS_PROFILE") != "" || missing == nil:
		return &credentials.FileAWSCredentials{}
	default:
		return &credentials.IAM{Client: client, Region: region}
	}
}

// sharedFile returns the path of a file that the tools of AWS share. An environment variable has
// it, or it has that name in ~/.aws.
func sharedFile(variable, name string) string {
	path := os.Getenv(variable)
	if home, err := os.UserHomeDir(); err == nil && path == "" {
		path = filepath.Join(home, ".aws", name)
	}
	return path
}
