package journal

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

type rangeDone struct {
	Start, End, Sum string
	Rows, Bytes     int64
}

var aRange = &rangeDone{
	"-9223372036854775808",
	"-9152921504606846976",
	"0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f",
	123456,
	7890123,
}

func BenchmarkAppend(b *testing.B) {
	j := create(b)
	b.ReportAllocs()
	for b.Loop() {
		if err := j.Append("range", aRange); err != nil {
			b.Fatal(err)
		}
	}
	require.NoError(b, j.Close())
}

func BenchmarkAppendSync(b *testing.B) {
	j := create(b)
	b.ReportAllocs()
	for b.Loop() {
		if err := j.Append("range", aRange); err != nil {
			b.Fatal(err)
		}
		if err := j.Sync(); err != nil {
			b.Fatal(err)
		}
	}
	require.NoError(b, j.Close())
}

func BenchmarkReplay(b *testing.B) {
	header := headerOf(Manifest{Checksum: "00ff"})
	text := []byte(header)
	const records = 10_000
	payload := []byte(`{"Start":"-9223372036854775808","End":"-9152921504606846976","Rows":123456}`)
	for seq := range uint64(records) {
		text = appendRecord(text, seq+1, "range", payload)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if n, _, err := replay(bytes.NewReader(text), header, nothing); err != nil || n != records {
			b.Fatal(n, err)
		}
	}
}
