package source

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// stream is two compressed streams and where it may end well.
type stream struct {
	data    []byte
	text    []byte
	borders map[int]int // stored bytes to bytes of text
}

// goldenBorder is where text.csv is cut in two: after 20 lines.
const goldenBorder = 268

func streams(t *testing.T) map[string]stream {
	text := golden(t, "text.csv")
	const first = goldenBorder
	all := map[string]stream{}
	for name, compress := range makers {
		if name == "plain" {
			continue
		}
		one, two := compress(text[:first]), compress(text[first:])
		s := stream{append(bytes.Clone(one), two...), text, map[int]int{len(one): first}}
		if name == "snappy" {
			// The format has no end mark: each chunk may be the last.
			s.borders[len(snappyHead)], s.borders[len(one)+len(snappyHead)] = 0, first
		}
		all[name] = s
	}
	for name, borders := range map[string]map[int]int{
		"members.gz": {}, "padded.gz": {}, "frames.zst": {}, "skippable.zst": {11: 0}, "frames.lz4": {}, "linked.lz4": {10: 0},
		"streams.bz2": {}, "streams.xz": {}, "blocks.xz": {},
	} {
		all[name] = stream{golden(t, name), text, borders}
	}
	addBorders(t, all)
	return all
}

// addBorders finds the borders of the golden files by the magics in them.
func addBorders(t *testing.T, all map[string]stream) {
	for name, magic := range map[string]string{
		"members.gz": "\x1f\x8b\x08", "frames.zst": "\x28\xb5\x2f\xfd", "frames.lz4": "\x04\x22\x4d\x18",
		"streams.bz2": "BZh1", "streams.xz": "\xfd7zXZ\x00",
	} {
		at := bytes.LastIndex(all[name].data, []byte(magic))
		require.Positive(t, at, name)
		all[name].borders[at] = goldenBorder
	}
	xz := all["streams.xz"]
	for at, text := range xz.borders {
		xz.borders[at-4], xz.borders[at-8] = text, text // padding
		break
	}
	skip := all["skippable.zst"]
	at := bytes.LastIndex(skip.data, []byte("\x28\xb5\x2f\xfd"))
	skip.borders[at], skip.borders[at-8] = goldenBorder, goldenBorder
	padded := all["padded.gz"]
	for n := range 512 {
		padded.borders[len(padded.data)-512+n] = len(padded.text)
	}
}

// However short a stream is cut, no part of it passes for the whole.
func TestCutOffAnywhere(t *testing.T) {
	for name, s := range streams(t) {
		t.Run(name, func(t *testing.T) {
			for cut := 1; cut < len(s.data); cut++ {
				got, err := readAll(t, bytes.NewReader(s.data[:cut]))
				if n, ok := s.borders[cut]; ok {
					require.NoError(t, err, "cut at %d", cut)
					require.Equal(t, string(s.text[:n]), string(got), "cut at %d", cut)
					continue
				}
				if err == nil { // the beginning of a magic that may be text
					require.LessOrEqual(t, cut, 4)
					require.Equal(t, s.data[:cut], got)
					continue
				}
				require.True(t, bytes.HasPrefix(s.text, got), "cut at %d", cut)
				require.ErrorAs(t, err, new(*DamageError), "cut at %d", cut)
				if name != "snappy" {
					require.ErrorIs(t, err, io.ErrUnexpectedEOF, "cut at %d", cut)
				}
			}
			got, err := readAll(t, bytes.NewReader(s.data))
			require.NoError(t, err)
			require.Equal(t, string(s.text), string(got))
		})
	}
}

// One wrong byte is found, or does no harm, or makes what is no stream any more.
func TestDamagedAnywhere(t *testing.T) {
	for name, s := range streams(t) {
		t.Run(name, func(t *testing.T) {
			found := 0
			for at := range s.data {
				data := slices.Clone(s.data)
				data[at] ^= 0xff
				got, err := readAll(t, bytes.NewReader(data))
				if err != nil {
					require.ErrorAs(t, err, new(*DamageError), "byte %d", at)
					found++
					continue
				}
				if bytes.Equal(data, got) {
					require.Less(t, at, 10)
					continue
				}
				require.Equal(t, string(s.text), string(got), "byte %d", at)
			}
			require.Greater(t, found, len(s.data)/2)
		})
	}
}

// All the text before the damage is there, though it was read ahead.
func TestTextBeforeDamage(t *testing.T) {
	text := sample(2_000_000)
	for name, compress := range makers {
		if name == "plain" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			data := append(compress(text), compress(text)...)
			got, err := readAll(t, bytes.NewReader(data[:len(data)-3]))
			require.ErrorAs(t, err, new(*DamageError))
			require.GreaterOrEqual(t, len(got), len(text))
			require.True(t, bytes.HasPrefix(append(bytes.Clone(text), text...), got))
		})
	}
}
