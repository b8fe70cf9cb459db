package main

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// unpackImage checks an OCI archive, all digests and sizes in it, and unpacks the files of its
// image for a processor into a folder.
func unpackImage(output, archive, processor string) error {
	folder, err := os.MkdirTemp("", "cqlbulk-image-*")
	if err != nil {
		return err
	}
	err = unpackFrom(folder, output, archive, processor)
	return errors.Join(err, os.RemoveAll(folder))
}

func unpackFrom(folder, output, archive, processor string) error {
	index, err := openArchive(folder, archive)
	if err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	if err := validate.Index(index); err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	image, err := imageFor(index, processor)
	if err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	content := mutate.Extract(image)
	return errors.Join(untar(output, content), content.Close())
}

// openArchive unpacks an archive into a folder, and gives the index that is the one entry at its
// top.
func openArchive(folder, archive string) (v1.ImageIndex, error) {
	file, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(untar(folder, file), file.Close()); err != nil {
		return nil, err
	}
	top, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		return nil, err
	}
	entries, err := top.IndexManifest()
	if err != nil {
		return nil, err
	}
	if len(entries.Manifests) != 1 {
		return nil, fmt.Errorf("index.json has %d entries, and not one", len(entries.Manifests))
	}
	return top.ImageIndex(entries.Manifests[0].Digest)
}

func imageFor(index v1.ImageIndex, processor string) (v1.Image, error) {
	entries, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	for _, m := range entries.Manifests {
		if m.Platform != nil && m.Platform.Architecture == processor {
			return index.Image(m.Digest)
		}
	}
	return nil, fmt.Errorf("no image is for %s", processor)
}

// untar unpacks folders and files, and nothing that would leave the folder.
func untar(folder string, from io.Reader) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	for r := tar.NewReader(from); ; {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			return root.Close()
		}
		if err == nil {
			err = unpackOne(root, head, r)
		}
		if err != nil {
			return errors.Join(err, root.Close())
		}
	}
}

func unpackOne(root *os.Root, head *tar.Header, content io.Reader) error {
	name := filepath.Clean(head.Name)
	if head.Typeflag == tar.TypeDir {
		return root.MkdirAll(name, 0o755)
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	file, err := root.OpenFile(
		name,
		os.O_CREATE|os.O_WRONLY|os.O_TRUNC,
		fs.FileMode(head.Mode).Perm(),
	)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}
