package sstabledump

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/tablefile"
)

// The SSTables in testdata were written by Cassandra 5.0.6, and what stands beside them by its
// sstabledump, which ends no line, at the time below.
func TestDumpsAreThoseOfCassandra(t *testing.T) {
	for _, name := range dumped {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join("testdata", name)
			in, err := tablefile.Open(
				tablefile.Folder(folder, component.Descriptor{Version: component.NB, ID: "1"}),
			)
			require.NoError(t, err)
			defer in.Close()
			d, err := New(
				in.Codec().Schema().Table(),
				false,
				time.Date(2026, 11, 22, 17, 53, 30, 0, time.UTC),
			)
			require.NoError(t, err)
			var out bytes.Buffer
			require.NoError(t, d.Write(t.Context(), &out, in.Decoder()))
			want, err := os.ReadFile(filepath.Join(folder, "dump.json"))
			require.NoError(t, err)
			require.Equal(t, string(want)+"\n", out.String())
		})
	}
}

// dumped has the names of the SSTables in testdata. New ones come at the end, because saved inputs
// of FuzzWrite name them by number.
var dumped = []string{"types", "simple", "counts", "deletions", "fields", "paths"}

// fuzzSeed is how many bytes a seed has at most: the fuzzer is slow with long ones.
const fuzzSeed = 700

// Bytes that are no SSTable's end in an error, and not in a panic.
func FuzzWrite(f *testing.F) {
	var codecs []*sstable.Codec
	for n, name := range dumped {
		in, err := tablefile.Open(
			tablefile.Folder(
				filepath.Join("testdata", name),
				component.Descriptor{Version: component.NB, ID: "1"},
			),
		)
		require.NoError(f, err)
		defer in.Close()
		codecs = append(codecs, in.Codec())
		var data bytes.Buffer
		to, err := sstable.NewPartitionWriter(in.Codec(), &data, nil)
		require.NoError(f, err)
		require.NoError(f, sstable.Copy(to, in.Codec(), in.Decoder()))
		require.NoError(f, to.Flush())
		f.Add(byte(n), data.Bytes()[:min(data.Len(), fuzzSeed)])
	}
	f.Fuzz(func(t *testing.T, n byte, data []byte) {
		codec := codecs[int(n)%len(codecs)]
		d, err := New(codec.Schema().Table(), true, time.Unix(0, 0))
		require.NoError(t, err)
		var out bytes.Buffer
		if d.Write(
			t.Context(),
			&out,
			sstable.NewDecoder(codec, bytes.NewReader(data), 1<<20),
		) == nil {
			require.True(t, json.Valid(out.Bytes()), "%s", out.Bytes())
		}
	})
}

// The cell of a user type's field has a path of two bytes. Others are refused, however long they
// are.
func TestPathThatIsNoFieldIsRefused(t *testing.T) {
	udt := &cqltype.Type{
		Kind:       cqltype.UDT,
		Keyspace:   "k",
		Name:       "u",
		FieldNames: []string{"a"},
		Elems:      []*cqltype.Type{{Kind: cqltype.Int}},
	}
	table := &sstable.Table{
		Key:      []sstable.Column{{Name: "k", Type: &cqltype.Type{Kind: cqltype.Int}}},
		Regulars: []sstable.Column{{Name: "u", Type: udt}},
	}
	d, err := New(table, false, time.Unix(0, 0))
	require.NoError(t, err)
	for _, path := range []string{"", "\x00", "\x00\x01", "\xff\xff", "\x00\x00\x00", strings.Repeat("\xff", 8), strings.Repeat("\x00", 9)} {
		cell := &sstable.Cell{Path: []byte(path), Value: []byte{0, 0, 0, 1}}
		d.pretty = pretty{}
		d.pretty.open('[')
		require.ErrorContains(
			t,
			d.cell(&d.regulars[0], cell, &sstable.Liveness{}),
			"column \"u\" has ",
			"%x",
			path,
		)
	}
}

// Values that are none of their type are strings: what is written stays JSON.
func TestMalformedNumbersAreStrings(t *testing.T) {
	for kind, wire := range map[cqltype.Kind][]byte{
		cqltype.Boolean: {0x81},
		cqltype.Decimal: {0xff, 0xff, 0xff, 0xee, 0, 4, 5},
	} {
		v, err := planValue(&cqltype.Type{Kind: kind})
		require.NoError(t, err)
		out, err := v.appendJSON(nil, wire)
		require.NoError(t, err)
		require.True(t, json.Valid(out), "%s", out)
	}
}
