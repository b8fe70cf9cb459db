package rowsum

import "testing"

func BenchmarkRow(b *testing.B) {
	blob := pattern(0, 34)
	benches := []struct {
		name  string
		types []string
		cells [][]byte
	}{
		{
			"flights",
			[]string{
				"int",
				"int",
				"int",
				"int",
				"int",
				"int",
				"int",
				"int",
				"int",
				"text",
				"int",
				"text",
				"text",
				"text",
				"int",
				"int",
				"int",
				"int",
				"timestamp",
			},
			[][]byte{
				i4(2013),
				i4(1),
				i4(1),
				i4(517),
				i4(515),
				i4(2),
				i4(830),
				i4(819),
				i4(11),
				[]byte("UA"),
				i4(1545),
				[]byte("N14228"),
				[]byte("EWR"),
				[]byte("IAH"),
				i4(227),
				i4(1400),
				i4(5),
				i4(15),
				append(i4(0), i4(99)...),
			},
		},
		{
			"sixBlobs",
			[]string{"blob", "blob", "blob", "blob", "blob", "blob"},
			[][]byte{blob, blob, blob, blob, blob, blob},
		},
		{"blob1MiB", []string{"int", "blob"}, [][]byte{i4(1), make([]byte, 1<<20)}},
		{
			"set10",
			[]string{"set<blob>"},
			[][]byte{coll(blob, blob, blob, blob, blob, blob, blob, blob, blob, blob)},
		},
		{
			"nested",
			[]string{"map<text, frozen<set<int>>>"},
			[][]byte{mapping(blob, coll(i4(1), i4(2)), blob, coll(i4(3)))},
		},
	}
	for _, bb := range benches {
		b.Run(bb.name, func(b *testing.B) {
			h := hasherOf(b, bb.types...)
			size := 0
			for _, c := range bb.cells {
				size += len(c)
			}
			b.ReportAllocs()
			b.SetBytes(int64(size))
			for b.Loop() {
				h.Row(bb.cells)
			}
		})
	}
}
