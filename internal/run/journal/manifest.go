package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/version"
)

// Manifest identifies a run: it has all that must be the same when the run resumes. run.json is its
// indented JSON and never changes. The caller must keep passwords out of it.
type Manifest struct {
	Version int          `json:"version"` // set by Create
	Run     string       `json:"run"`     // a random name that no other run has; set by Create
	Tool    string       `json:"tool"`    // such as "cqlbulk 0.1.0"
	Build   version.Info `json:"build,omitzero"`
	Command string       `json:"command"` // such as scan
	Table   string       `json:"table"`   // keyspace.table
	TableID string       `json:"table_id,omitempty"`

	Started           time.Time `json:"started"` // UTC, cut to whole milliseconds by Create
	SchemaFingerprint string    `json:"schema_fingerprint"`

	Options json.RawMessage `json:"options,omitempty"` // the settings that matter
	Extra   json.RawMessage `json:"extra,omitempty"`   // what else the command stores

	// Checksum is the SHA-256, in hex, of the compact JSON object without this field, which is its
	// last one. It detects changes by mistake, and not on purpose. Set by Create.
	Checksum string `json:"-"`
}

// checksumField is the text between the rest of the object and the checksum.
const checksumField = `,"checksum":"`

var errChanged = errors.New("has been changed by hand: its checksum does not match")

// encodeManifest returns the text of run.json.
func encodeManifest(m Manifest) ([]byte, error) {
	if m.Version == 0 {
		m.Version = Version
	}
	m.Started = m.Started.UTC().Truncate(time.Millisecond)
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false)
	if err := e.Encode(m); err != nil {
		return nil, err
	}
	object := bytes.TrimSuffix(body.Bytes(), []byte("\n"))
	sum := sha256.Sum256(object)
	object = append(object[:len(object)-1:len(object)-1], checksumField...)
	object = hex.AppendEncode(object, sum[:])
	object = append(object, `"}`...)

	var text bytes.Buffer
	if err := json.Indent(&text, object, "", "  "); err != nil {
		return nil, err
	}
	return append(text.Bytes(), '\n'), nil
}

// decodeManifest parses the text of run.json. The manifest does not refer to text. The errors have
// no subject: the caller puts "run.json" before them.
func decodeManifest(text []byte) (Manifest, error) {
	// The version comes first: another version may have other fields, and another checksum.
	var release struct {
		Version *int `json:"version"`
	}
	if err := json.Unmarshal(text, &release); err != nil {
		return Manifest{}, fmt.Errorf("is malformed: %w", err)
	}
	switch {
	case release.Version == nil:
		return Manifest{}, errors.New("is no manifest of a run: it has no version")
	case *release.Version < Version || *release.Version > VersionListed:
		return Manifest{}, fmt.Errorf(
			"was made by another version of the journal: %d, this cqlbulk reads %d and %d",
			*release.Version,
			Version,
			VersionListed,
		)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return Manifest{}, fmt.Errorf("is malformed: %w", err)
	}
	object, sum, err := unseal(compact.Bytes())
	if err != nil {
		return Manifest{}, err
	}
	m := Manifest{Checksum: sum}
	if err := json.Unmarshal(object, &m); err != nil {
		return Manifest{}, fmt.Errorf("is malformed: %w", err)
	}
	return m, nil
}

// unseal splits the checksum from compact JSON and verifies it.
func unseal(sealed []byte) (object []byte, sum string, err error) {
	at := bytes.LastIndex(sealed, []byte(checksumField))
	if at < 0 {
		return nil, "", errors.New("is no manifest of a run: it has no checksum")
	}
	object = append(sealed[:at:at], '}')
	digest := sha256.Sum256(object)
	sum = hex.EncodeToString(digest[:])
	if string(sealed[at+len(checksumField):]) != sum+`"}` {
		return nil, "", errChanged
	}
	return object, sum, nil
}
