package main

import (
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
	packageurl "github.com/package-url/packageurl-go"
)

// writeSBOM lists the modules that a binary says it was built of, and the standard library.
// Its serial number is made of the binary's bytes.
func writeSBOM(r release, binary string) (err error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	code, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(code)
	product := component(cdx.ComponentTypeApplication, info.Main.Path, r.version)
	product.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}}
	product.Licenses = &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}}
	product.Properties = &[]cdx.Property{{Name: "cqlbulk:platform", Value: platform(info)}}

	parts := []cdx.Component{
		component(cdx.ComponentTypeLibrary, "std", strings.TrimPrefix(info.GoVersion, "go")),
	}
	for _, m := range modules(info) {
		part := component(cdx.ComponentTypeLibrary, m.Path, m.Version)
		if part.Hashes, err = hashes(m); err != nil {
			return err
		}
		parts = append(parts, part)
	}
	if name, _, embedded := strings.Cut(r.vendored, "="); embedded {
		name, version, _ := strings.Cut(name, "@")
		url := packageurl.NewPackageURL(packageurl.TypeNPM, "", name, version, nil, "").ToString()
		parts = append(
			parts,
			cdx.Component{
				BOMRef:     url,
				Type:       cdx.ComponentTypeLibrary,
				Name:       name,
				Version:    version,
				PackageURL: url,
			},
		)
	}
	refs := make([]string, len(parts))
	for i, p := range parts {
		refs[i] = p.BOMRef
	}

	bom := cdx.NewBOM()
	bom.SerialNumber = uuid.NewSHA1(uuid.NameSpaceOID, sum[:]).URN()
	bom.Metadata = &cdx.Metadata{
		Timestamp: r.made.Format("2006-01-02T15:04:05Z"),
		Component: &product,
	}
	bom.Components = &parts
	// A binary does not have which of its modules needs which.
	bom.Dependencies = &[]cdx.Dependency{{Ref: product.BOMRef, Dependencies: &refs}}

	out, err := os.Create(r.output)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	return cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).
		SetPretty(true).
		EncodeVersion(bom, cdx.SpecVersion1_6)
}

// component is a module as CycloneDX wants it.
func component(kind cdx.ComponentType, path, version string) cdx.Component {
	folder, name := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		folder, name = path[:i], path[i+1:]
	}
	url := packageurl.NewPackageURL(packageurl.TypeGolang, folder, name, version, nil, "").
		ToString()
	return cdx.Component{BOMRef: url, Type: kind, Name: path, Version: version, PackageURL: url}
}

// modules are those that a binary has inside: of one that was replaced, the other.
func modules(info *debug.BuildInfo) []*debug.Module {
	out := make([]*debug.Module, len(info.Deps))
	for i, m := range info.Deps {
		out[i] = cmp.Or(m.Replace, m)
	}
	return out
}

// hashes gives the hash of a module's files that go.sum has.
func hashes(m *debug.Module) (*[]cdx.Hash, error) {
	text, found := strings.CutPrefix(m.Sum, "h1:")
	sum, err := base64.StdEncoding.DecodeString(text)
	if !found || err != nil {
		return nil, fmt.Errorf(
			"module %s %s has no hash of the form h1:, but %q",
			m.Path,
			m.Version,
			m.Sum,
		)
	}
	return &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}, nil
}

// platform is what a binary runs on, as in linux/amd64.
func platform(info *debug.BuildInfo) string {
	var system, processor string
	for _, s := range info.Settings {
		switch s.Key {
		case "GOOS":
			system = s.Value
		case "GOARCH":
			processor = s.Value
		}
	}
	return system + "/" + processor
}
