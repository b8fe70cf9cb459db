package source

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// zipped is an archive of empty files.
func zipped(t *testing.T, names ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		_, err := w.Create(name)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.String()
}

// tarred is an archive with one file.
func tarred(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "a.csv", Mode: 0o600, Size: 4}))
	_, err := io.WriteString(w, "a,b\n")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

// wide is a text in UTF-16, with no mark at its beginning.
func wide(text string, big bool) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(text)) {
		if big {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return string(b)
}

// The filter that makes UTF-8 of a text knows in which order its bytes are.
func TestFilter(t *testing.T) {
	for text, want := range map[string]string{
		"\xff\xfe" + wide("a,b\n", false): "iconv -f UTF-16 -t UTF-8", wide("a,b\n", false): "iconv -f UTF-16LE -t UTF-8", wide("a,b\n", true): "iconv -f UTF-16BE -t UTF-8",
	} {
		_, err := readAll(t, strings.NewReader(text))
		var form *FormError
		require.ErrorAs(t, err, &form)
		require.Equal(t, want, form.Filter)
		require.Equal(t, "stdin", form.Input)
	}
}

// The command that unpacks a file fits what it holds, whatever its name is.
func TestUnpacker(t *testing.T) {
	for name, want := range map[string]string{
		"text.csv": "", "members.gz": "gzip -dc", "frames.zst": "zstd -dc", "linked.lz4": "lz4 -dc", "streams.bz2": "bzip2 -dc", "blocks.xz": "xz -dc", "none": "",
	} {
		require.Equal(t, want, Unpacker(filepath.Join("testdata", "golden", name)), name)
	}
}

// What is not text is reported, and no byte of it is given out, however it is read.
func TestForeign(t *testing.T) {
	for data, want := range map[string]string{
		zipped(t, "[Content_Types].xml", "xl/workbook.xml"): "an Excel workbook, or another document of Office: save it as CSV UTF-8",
		zipped(t, "_rels/.rels"):                            "an Excel workbook",
		zipped(t, "a.csv"):                                  "a zip archive: unpack it, and load the files in it",
		zipped(t):                                           "a zip archive",
		tarred(t):                                           "a tar archive: unpack it",
		"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00":              "an old Excel workbook (.xls)",
		"\xff\xfe" + wide("a,b\n", false):                   "UTF-16: turn it into UTF-8 first",
		"\xfe\xff" + wide("a,b\n", true):                    "UTF-16:",
		wide("a,b\n", false):                                "UTF-16: turn",
		wide("a,b\n", true):                                 "UTF-16: turn",
		"\xff\xfe\x00\x00a\x00\x00\x00":                     "UTF-32",
		"PAR1\x15\x00":                                      "a Parquet file",
		"Obj\x01":                                           "an Avro file",
	} {
		for _, in := range []io.Reader{
			strings.NewReader(data),
			iotest.OneByteReader(strings.NewReader(data)),
			bytes.NewReader(compressed(t, data)),
		} {
			text, err := readAll(t, in)
			require.ErrorContains(t, err, "input stdin: this is ")
			require.ErrorContains(t, err, want)
			require.Empty(t, text)
		}
	}
}

func compressed(t *testing.T, text string) []byte {
	t.Helper()
	return makers["gzip"]([]byte(text))
}

// A line is given out as soon as it is there, and text is text, whatever it begins with.
func TestNotForeign(t *testing.T) {
	for _, text := range []string{"PK,b\n", "PAR1,PAR2\n", "ustar\n", "%PD\n", "a\x00\n", "\x00a\n", strings.Repeat("a", 257) + "ustar"[:4] + "\n"} {
		got, err := readAll(t, strings.NewReader(text))
		require.NoError(t, err, "%q", text)
		require.Equal(t, text, string(got))
	}
	in, out := io.Pipe()
	go func() { _, _ = io.WriteString(out, "a,b\n") }()
	line := make([]byte, 10)
	n, err := newReader("stdin", in, -1).Read(line)
	require.NoError(t, err)
	require.Equal(t, "a,b\n", string(line[:n]))
}

// What is refused is refused at once, also where there is more of it than is read ahead.
func TestForeignThatIsCompressed(t *testing.T) {
	large := append([]byte(tarred(t)), sample(5_000_000)...)
	for name, compress := range makers {
		t.Run(name, func(t *testing.T) {
			ignore := goleak.IgnoreCurrent()
			r := open(t, write(t, compress(large)))
			_, err := r.Read(make([]byte, 1))
			require.ErrorContains(t, err, "a tar archive")
			_, again := r.Read(make([]byte, 1))
			require.Equal(t, err, again)
			require.NoError(t, r.Close())
			require.NoError(t, goleak.Find(ignore))
		})
	}
}

func TestCheck(t *testing.T) {
	good, bad := write(t, []byte("a,b\n")), write(t, []byte(tarred(t)))
	inputs, _, err := Find([]string{good, bad, Stdin}, strings.NewReader(""))
	require.NoError(t, err)
	require.EqualError(
		t,
		Check(inputs),
		"input "+bad+": this is a tar archive: unpack it, and load the files in it",
	)
	require.NoError(t, Check(inputs[:1]))
}
