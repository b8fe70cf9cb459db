package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/stretchr/testify/require"
)

// write writes a file of a test, and gives its path.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestImageIsWholeAndTheSameEachTime(t *testing.T) {
	r := release{
		version: "1.2.3",
		commit:  "0123abc",
		made:    time.Unix(1_700_000_000, 0).UTC(),
		licenses: write(
			t,
			"licenses",
			"all of them",
		),
		output: filepath.Join(t.TempDir(), "image.tar"),
	}
	binaries := []string{
		"amd64=" + write(t, "a", "for amd64"),
		"arm64=" + write(t, "b", "for arm64"),
	}
	require.NoError(t, writeImage(r, binaries))

	for _, processor := range []string{"amd64", "arm64"} {
		folder := t.TempDir()
		require.NoError(t, unpackImage(folder, r.output, processor))
		code, err := os.ReadFile(filepath.Join(folder, program))
		require.NoError(t, err)
		require.Equal(t, "for "+processor, string(code))
		trusted, err := os.ReadFile(filepath.Join(folder, roots))
		require.NoError(t, err)
		require.Greater(t, strings.Count(string(trusted), "BEGIN CERTIFICATE"), 50)
	}
	require.ErrorContains(
		t,
		unpackImage(t.TempDir(), r.output, "riscv64"),
		"no image is for riscv64",
	)

	index, err := openArchive(t.TempDir(), r.output)
	require.NoError(t, err)
	image, err := imageFor(index, "arm64")
	require.NoError(t, err)
	config, err := image.ConfigFile()
	require.NoError(t, err)
	require.Equal(t, "65532:65532", config.Config.User)
	require.Equal(t, []string{"/usr/bin/cqlbulk"}, config.Config.Entrypoint)
	require.Equal(t, "0123abc", config.Config.Labels["org.opencontainers.image.revision"])
	require.Equal(t, r.made, config.Created.UTC())

	first, err := os.ReadFile(r.output)
	require.NoError(t, err)
	require.NoError(t, writeImage(r, binaries))
	second, err := os.ReadFile(r.output)
	require.NoError(t, err)
	require.Equal(t, first, second)
}

func TestImageThatWasChangedIsRefused(t *testing.T) {
	r := release{
		version:  "1",
		licenses: write(t, "licenses", ""),
		output:   filepath.Join(t.TempDir(), "image.tar"),
	}
	require.NoError(t, writeImage(r, []string{"amd64=" + write(t, "a", "code")}))
	content, err := os.ReadFile(r.output)
	require.NoError(t, err)
	changed := strings.Replace(
		string(content),
		`"architecture":"amd64"`,
		`"architecture":"amd63"`,
		1,
	)
	require.NotEqual(t, string(content), changed)
	require.Error(t, unpackImage(t.TempDir(), write(t, "image.tar", changed), "amd64"))
}

// build builds this tool, which stands for a binary that is released: that of a test does not say
// what it is made of.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "dist")
	said, err := exec.Command("go", "build", "-buildvcs=false", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, "%s", said)
	return binary
}

func TestSBOMListsWhatABinaryHasInside(t *testing.T) {
	r := release{
		version:  "1.2.3",
		made:     time.Unix(1_700_000_000, 0).UTC(),
		vendored: "uplot@1.2.3=folder",
		output:   filepath.Join(t.TempDir(), "sbom.json"),
	}
	require.NoError(t, writeSBOM(r, build(t)))

	file, err := os.Open(r.output)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	var bom cdx.BOM
	require.NoError(t, cdx.NewBOMDecoder(file, cdx.BOMFileFormatJSON).Decode(&bom))
	require.Equal(t, "2023-11-14T22:13:20Z", bom.Metadata.Timestamp)
	require.Equal(t, "1.2.3", bom.Metadata.Component.Version)
	names := make(map[string]string)
	for _, c := range *bom.Components {
		names[c.Name] = c.PackageURL
	}
	require.Contains(t, names["std"], "pkg:golang/std@")
	require.Equal(t, "pkg:npm/uplot@1.2.3", names["uplot"])
	require.Regexp(t, `^pkg:golang/github\.com/google/uuid@v1\.`, names["github.com/google/uuid"])
	for _, h := range *(*bom.Components)[1].Hashes {
		require.Len(t, h.Value, 64)
	}
}

func TestLicenses(t *testing.T) {
	binary := build(t)
	output := filepath.Join(t.TempDir(), "licenses")
	vendored := filepath.Dir(write(t, "LICENSE", "as you like"))
	require.NoError(
		t,
		writeLicenses(
			release{output: output, vendored: "uplot@1.2.3=" + vendored},
			[]string{binary, binary},
		),
	)
	text, err := os.ReadFile(output)
	require.NoError(t, err)
	require.Regexp(t, `\nthe Go standard library: LICENSE\n`, string(text))
	require.Equal(t, 1, strings.Count(string(text), "\ngithub.com/google/uuid@"))
	require.Contains(t, string(text), "\nuplot@1.2.3: LICENSE\n\nas you like\n")
}

func TestWrongUsage(t *testing.T) {
	require.ErrorIs(t, run(nil), errUsage)
	require.ErrorIs(t, run([]string{"sbom", "binary"}), errUsage)
	require.ErrorIs(t, run([]string{"other", "-o", "x", "y"}), errUsage)
	require.ErrorContains(
		t,
		run([]string{"image", "-o", filepath.Join(t.TempDir(), "x"), "binary"}),
		`"binary" is not of the form PROCESSOR=BINARY`,
	)
}
