package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// userID is the user as which the program runs in a container. It owns no other file.
const userID = 65532

// What the image has beside the program.
const (
	program  = "usr/bin/cqlbulk"
	licenses = "usr/share/doc/cqlbulk/THIRD-PARTY-LICENSES"
	roots    = "etc/ssl/certs/ca-certificates.crt" // where Go looks first
	workDir  = "data"                              // files are mounted here
)

// writeImage writes an image for several processors, given as amd64=BINARY, as an OCI archive: a
// tar of an OCI layout.
func writeImage(r release, binaries []string) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, b := range binaries {
		processor, path, found := strings.Cut(b, "=")
		if !found {
			return fmt.Errorf("%q is not of the form PROCESSOR=BINARY", b)
		}
		platform := v1.Platform{OS: "linux", Architecture: processor}
		image, err := makeImage(r, platform, path)
		if err != nil {
			return fmt.Errorf("image for %s: %w", processor, err)
		}
		index = mutate.AppendManifests(
			index,
			mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &platform}},
		)
	}
	// Programs that read an archive want one entry at its top, and its name there: an index of the
	// index.
	top := mutate.AppendManifests(
		mutate.IndexMediaType(empty.Index, types.OCIImageIndex),
		mutate.IndexAddendum{
			Add: index,
			Descriptor: v1.Descriptor{
				Annotations: map[string]string{"org.opencontainers.image.ref.name": r.version},
			},
		},
	)
	folder, err := os.MkdirTemp("", "cqlbulk-image-*")
	if err != nil {
		return err
	}
	_, err = layout.Write(folder, top)
	if err == nil {
		err = archive(r, folder)
	}
	return errors.Join(err, os.RemoveAll(folder))
}

// makeImage makes the image for one processor, of one layer.
func makeImage(r release, platform v1.Platform, path string) (v1.Image, error) {
	content, err := files(r, path)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(
		func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil },
		tarball.WithMediaType(types.OCILayer),
	)
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(
		mutate.MediaType(empty.Image, types.OCIManifestSchema1),
		types.OCIConfigJSON,
	)
	made := v1.Time{Time: r.made}
	image, err = mutate.Append(
		image,
		mutate.Addendum{Layer: layer, History: v1.History{Created: made, CreatedBy: "deploy/dist"}},
	)
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.Created, config.OS, config.Architecture = made, platform.OS, platform.Architecture
	config.Config = v1.Config{
		Entrypoint: []string{"/" + program},
		WorkingDir: "/" + workDir,
		User:       fmt.Sprintf("%d:%d", userID, userID),
		Labels: map[string]string{
			"org.opencontainers.image.title":       "cqlbulk",
			"org.opencontainers.image.description": "Bulk unload and load of Apache Cassandra and ScyllaDB",
			"org.opencontainers.image.version":     r.version,
			"org.opencontainers.image.revision":    r.commit,
			"org.opencontainers.image.created":     r.made.Format("2006-01-02T15:04:05Z"),
			"org.opencontainers.image.source":      "https://github.com/cqlbulk/cqlbulk",
			"org.opencontainers.image.licenses":    "Apache-2.0",
		},
	}
	return mutate.ConfigFile(image, config)
}

// files gives the image's files as a tar. A temporary file needs a folder, and what a scan writes
// another.
func files(r release, binary string) ([]byte, error) {
	text, err := os.ReadFile(r.licenses)
	if err != nil {
		return nil, err
	}
	code, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range []struct {
		name    string
		mode    fs.FileMode
		owner   int
		content []byte
	}{
		{"data/", 0o755, userID, nil},
		{"etc/", 0o755, 0, nil},
		{"etc/passwd", 0o644, 0, fmt.Appendf(nil, "cqlbulk:x:%d:%d::/%s:/\n", userID, userID, workDir)},
		{"etc/ssl/", 0o755, 0, nil},
		{"etc/ssl/certs/", 0o755, 0, nil},
		{roots, 0o644, 0, certificates()},
		{"tmp/", 0o1777, 0, nil},
		{"usr/", 0o755, 0, nil},
		{"usr/bin/", 0o755, 0, nil},
		{program, 0o755, 0, code},
		{"usr/share/", 0o755, 0, nil},
		{"usr/share/doc/", 0o755, 0, nil},
		{"usr/share/doc/cqlbulk/", 0o755, 0, nil},
		{licenses, 0o644, 0, text},
	} {
		head := &tar.Header{
			Name:     f.name,
			Mode:     int64(f.mode),
			Uid:      f.owner,
			Gid:      f.owner,
			Size:     int64(len(f.content)),
			ModTime:  r.made,
			Format:   tar.FormatPAX,
			Typeflag: tar.TypeReg,
		}
		if strings.HasSuffix(f.name, "/") {
			head.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(head); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), w.Close()
}

// certificates gives the authorities that Mozilla trusts without conditions, as PEM. A file cannot
// hold the conditions of the others.
func certificates() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			// A buffer takes all that it is given.
			_ = pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})
		}
	}
	return out.Bytes()
}

// archive makes a tar of a layout, in the order of the names.
func archive(r release, folder string) (err error) {
	out, err := os.Create(r.output)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	w := tar.NewWriter(out)
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		head := &tar.Header{
			Name:    filepath.ToSlash(name),
			Mode:    0o644,
			Size:    int64(len(content)),
			ModTime: r.made,
			Format:  tar.FormatPAX,
		}
		if err := w.WriteHeader(head); err != nil {
			return err
		}
		_, err = w.Write(content)
		return err
	})
	return errors.Join(err, w.Close())
}
