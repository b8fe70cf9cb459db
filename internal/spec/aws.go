package spec

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/cqlbulk/cqlbulk/internal/driver"
)

// awsRegionFlag is the name of the setting of the region of Amazon Keyspaces.
const awsRegionFlag = "aws-region"

// askIdentity is how long the metadata service of a machine may take for the keys of its role.
const askIdentity = 10 * time.Second

// awsLogin returns the login to Amazon Keyspaces; nil if there is no region. The keys are found
// where AWS' own tools look for them: in the environment and in the file of credentials. The last
// place is the role of the machine, task or pod.
func (c *Connection) awsLogin() (*driver.AWSLogin, error) {
	if c.AWSRegion == "" {
		return nil, nil
	}
	flag := "--" + c.name(awsRegionFlag)
	switch {
	case c.User != "":
		return nil, fmt.Errorf("%s and --%s: give one way to log in", flag, c.name("user"))
	case !c.TLS.On && c.Bundle == "":
		return nil, fmt.Errorf("%s without --%s: Amazon Keyspaces wants TLS", flag, c.TLS.Name("ssl"))
	}
	client := &http.Client{Timeout: askIdentity}
	found := credentials.NewChainCredentials([]credentials.Provider{
		&credentials.EnvAWS{},
		&credentials.FileAWSCredentials{},
		&credentials.IAM{Client: client, Region: c.AWSRegion},
	})
	context := &credentials.CredContext{Client: client}
	return &driver.AWSLogin{
		Region: c.AWSRegion,
		Keys: func() (driver.AWSKeys, error) {
			v, err := found.GetWithContext(context)
			if err == nil && v.AccessKeyID == "" {
				err = errors.New(
					"none in the environment (AWS_ACCESS_KEY_ID), in ~/.aws/credentials, or of a role of this machine",
				)
			}
			return driver.AWSKeys{
				AccessKey: v.AccessKeyID,
				SecretKey: v.SecretAccessKey,
				Session:   v.SessionToken,
			}, err
		},
	}, nil
}
