package journal

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzReplay damages a good journal: it is cut off at a length, some of its bytes
// are changed, and something is put behind it. Whatever that gives, no record may
// come out that did not go in, and a tail that is cut off leaves a good journal.
func FuzzReplay(f *testing.F) {
	header := headerOf(Manifest{Checksum: "00ff"})
	good := []byte(header)
	var records []string
	keep := collect(&records)
	for seq := uint64(1); seq <= 12; seq++ {
		r := Record{
			Seq:     seq,
			Kind:    "range",
			Payload: []byte(`{"start":"-42","rows":` + string('0'+rune(seq%10)) + `}`),
		}
		good = appendRecord(good, r.Seq, r.Kind, r.Payload)
		require.NoError(f, keep(r))
	}
	whole := uint(len(good))
	f.Add(whole, []byte{}, []byte{})
	f.Add(uint(7), []byte{}, []byte{})
	f.Add(whole-1, []byte{}, []byte("\x00\x00\x00"))
	f.Add(whole, []byte{0, 60, 1}, []byte{})
	f.Add(whole, []byte{0, 25, 0x20, 1, 44, 0x80}, []byte("00000000 13 range {}\n"))
	f.Add(whole-50, []byte{}, []byte("\n\n1 2 3\n"))
	f.Fuzz(func(t *testing.T, length uint, changes, behind []byte) {
		data := bytes.Clone(good[:min(length, whole)])
		for ; len(changes) >= 3 && len(data) > 0; changes = changes[3:] {
			at := (int(changes[0])<<8 | int(changes[1])) % len(data)
			data[at] ^= changes[2]
		}
		data = append(data, behind...)

		got := []string{}
		n, tail, err := replay(bytes.NewReader(data), header, collect(&got))
		require.LessOrEqual(t, len(got), len(records))
		require.Equal(t, records[:len(got)], got)
		if err != nil {
			require.ErrorAs(t, err, new(*DamageError))
			return
		}
		require.EqualValues(t, len(got), n)
		require.EqualValues(t, len(data), tail.Offset+tail.Bytes)

		rest := appendRecord(bytes.Clone(data[:tail.Offset]), n+1, "more", []byte("1"))
		m, tail, err := replay(bytes.NewReader(rest), header, nothing)
		require.NoError(t, err)
		require.Equal(t, n+1, m)
		require.Zero(t, tail.Bytes)
	})
}
