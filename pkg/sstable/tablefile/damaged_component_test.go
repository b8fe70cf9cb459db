package tablefile

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// The error of a component names its file, and no other, in words that are not those of Go.
func TestErrorsNameTheComponentThatIsDamaged(t *testing.T) {
	t.Parallel()
	half := func(b []byte) []byte { return b[:len(b)/2] }
	for _, c := range []struct {
		component component.Kind
		damage    func([]byte) []byte
	}{
		{component.IndexDB, half},
		{component.IndexDB, withoutLastEntry},
		{component.DataDB, half},
		{component.StatisticsDB, half},
		{component.CompressionInfoDB, half},
	} {
		dir := copied(t, filepath.Join("..", "testdata", "golden", "files", "nb_lz4"))
		d, _, err := component.ParseName("nb-1-big-" + string(component.DataDB))
		require.NoError(t, err)
		require.NoError(t, os.Remove(filepath.Join(dir, d.Name(component.SummaryDB))))
		path := filepath.Join(dir, d.Name(c.component))
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, c.damage(b), 0o600))

		err = readWithin(dir, d)
		var named *component.Error
		require.ErrorAs(t, err, &named, c.component)
		require.Equal(t, path, named.Path)
		require.Contains(t, err.Error(), path+": ")
		require.NotContains(t, err.Error(), "EOF")
	}
	require.ErrorIs(t, fields.CutOff(io.EOF), io.ErrUnexpectedEOF)
}

// withoutLastEntry is an Index.db that ends where its last entry begins.
func withoutLastEntry(b []byte) []byte {
	in, last := component.NewIndexReader(bytes.NewReader(b)), uint64(0)
	for {
		if _, err := in.Next(); err != nil {
			return b[:last]
		}
		last = in.Position()
	}
}

// readWithin reads an SSTable by the tokens of its later half.
func readWithin(dir string, d component.Descriptor) error {
	r, err := Open(Folder(dir, d))
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	in, err := r.Within([]token.Range{{Start: token.Token{}, End: token.Murmur3.Max()}})
	for err == nil {
		_, err = in.Next()
	}
	return err
}

// An SSTable whose CompressionInfo.db was not copied is refused, not read as one without
// compression.
func TestCompressionInfoThatIsMissing(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"nb_lz4", "da_lz4"} {
		dir := copied(t, filepath.Join("..", "testdata", "golden", "files", file))
		missing, err := filepath.Glob(filepath.Join(dir, "*-"+string(component.CompressionInfoDB)))
		require.NoError(t, err)
		require.Len(t, missing, 1)
		require.NoError(t, os.Remove(missing[0]))
		_, err = openIn(dir)
		require.ErrorContains(
			t,
			err,
			"CompressionInfo.db is missing, and Statistics.db has the compression ratio 0.",
		)
	}
}
