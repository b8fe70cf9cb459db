package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Read reads the manifest at path. It refuses a file that is no manifest, and a form of another
// version. The error for malformed text has the byte offset. Fields that this version does not know
// are ignored.
func Read(path string) (Manifest, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Manifest{}, fmt.Errorf("manifest %s: %w", path, err)
	}
	return Decode(path, text)
}

// Decode reads the text of the manifest at path as Read does.
func Decode(path string, text []byte) (Manifest, error) {
	m, err := decode(text)
	if err != nil {
		return Manifest{}, fmt.Errorf("manifest %s: %w", path, err)
	}
	return m, nil
}

func decode(text []byte) (Manifest, error) {
	// The version comes first: another form may have other types in the fields.
	var version struct {
		Format *int `json:"format"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return Manifest{}, placed(err)
	}
	switch {
	case version.Format == nil:
		return Manifest{}, errors.New("no manifest: it has no format version")
	case *version.Format != Format:
		return Manifest{}, fmt.Errorf(
			"format version %d is not known: this program reads version %d",
			*version.Format,
			Format,
		)
	}
	var m Manifest
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		return Manifest{}, placed(err)
	}
	return m, nil
}

// placed adds the offset to an error of the JSON reader.
func placed(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("malformed at byte %d: %w", syntax.Offset, err)
	case errors.As(err, &kind):
		return fmt.Errorf("malformed at byte %d: %w", kind.Offset, err)
	}
	return err
}
