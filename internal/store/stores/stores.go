// Package stores finds the store that a name is in. A path is on the disk, s3://BUCKET/KEY in
// object storage. What begins with http:// or https:// is at a web server.
//
// Start with [New].
package stores

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/cqlbulk/cqlbulk/internal/awskeys"
	"github.com/cqlbulk/cqlbulk/internal/store"
	"github.com/cqlbulk/cqlbulk/internal/store/s3"
	"github.com/cqlbulk/cqlbulk/internal/store/web"
)

// Stores are the stores of a program. A nil Stores has the disk alone. It is safe for concurrent
// use.
type Stores struct {
	s3  func() (*s3.Store, error)
	web *web.Store
}

// New returns the disk, and the object storage that the environment describes ([awskeys]). The
// environment is read with the first name of object storage.
func New() *Stores {
	return &Stores{s3: sync.OnceValues(openS3), web: web.New(silence)}
}

// silence is how long a web server may send nothing.
const silence = time.Minute

// askIdentity is how long the metadata service of a machine may take for the keys of its role.
const askIdentity = 10 * time.Second

func openS3() (*s3.Store, error) {
	settings, err := awskeys.SettingsOf()
	if err != nil {
		return nil, err
	}
	client := &http.Client{Timeout: askIdentity}
	keys := credentials.New(awskeys.Provider(client, settings.Region))
	// They are asked for once, so that a mistake shows at the start.
	found, err := keys.GetWithContext(&credentials.CredContext{Client: client})
	if err == nil && found.AccessKeyID == "" {
		err = errors.New("no key is there")
	}
	if err != nil {
		return nil, fmt.Errorf("AWS credentials: %w", err)
	}
	return s3.New(s3.Config{Endpoint: settings.Endpoint, Region: settings.Region, Keys: keys})
}

// Remote reports whether a name is one of object storage or a web server, and not a path.
func Remote(name string) bool { return Writable(name) || web.Is(name) }

// Writable reports whether a name is one of object storage.
func Writable(name string) bool { return strings.HasPrefix(name, s3.Scheme) }

// Patterned reports whether a name may be a pattern or a folder. The names of web servers are not.
func Patterned(name string) bool { return !web.Is(name) }

// Abs returns the absolute path of a file. The name of an object is absolute already.
func Abs(name string) (string, error) {
	if Remote(name) {
		return name, nil
	}
	return filepath.Abs(name)
}

// Reason returns an error of a store without the operation and the name, which a message has.
func Reason(err error) error {
	var remote *s3.Error
	var local *fs.PathError
	switch {
	case errors.As(err, &remote):
		return remote.Err
	case errors.As(err, &local) && errors.Is(err, fs.ErrNotExist):
		return fs.ErrNotExist
	case errors.As(err, &local):
		return local.Err
	default:
		return err
	}
}

// Of returns the store that a name is in.
func (p *Stores) Of(name string) (store.Store, error) {
	switch {
	case p == nil || !Remote(name):
		return store.Disk{}, nil
	case web.Is(name):
		return p.web, nil
	default:
		return p.s3()
	}
}

// Spool returns a spool of object storage. The folder is for unfinished objects.
func (p *Stores) Spool(folder string) (*store.Spool, error) {
	at, err := p.s3()
	if err != nil {
		return nil, err
	}
	return &store.Spool{Remote: at, Folder: folder}, nil
}
