package spec

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/cqlbulk/cqlbulk/internal/awskeys"
	"github.com/cqlbulk/cqlbulk/internal/driver"
)

// awsRegionFlag is the name of the setting of the region of Amazon Keyspaces.
const awsRegionFlag = "aws-region"

// askIdentity is how long the metadata service of a machine may take for the keys of its role.
const askIdentity = 10 * time.Second

// awsLogin returns the login to Amazon Keyspaces; nil if there is no region. Its keys are those of
// the environment, or of the file of credentials, or of the role of the machine, task or pod. It
// asks for them once, so that a mistake shows at the start.
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
	source := credentials.New(awskeys.Provider(client, c.AWSRegion))
	asked := &credentials.CredContext{Client: client}
	login := &driver.AWSLogin{
		Region: c.AWSRegion,
		Keys: func() (driver.AWSKeys, error) {
			v, err := source.GetWithContext(asked)
			return driver.AWSKeys{
				AccessKey: v.AccessKeyID,
				SecretKey: v.SecretAccessKey,
				Session:   v.SessionToken,
			}, err
		},
	}
	keys, err := login.Keys()
	if err == nil && keys.AccessKey == "" {
		err = errors.New("no key is there")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: AWS credentials: %w", flag, err)
	}
	return login, nil
}
