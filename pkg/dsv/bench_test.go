package dsv

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// benchData returns 16 MiB of records of each kind, some with escapes if the format has one.
func benchData(f Format) map[string][]byte {
	hex := strings.Repeat("0123456789abcdef", 4)
	kinds := map[string]string{
		"hex":    "0x" + hex + ",0x" + hex + ",0x" + hex + ",0x" + hex + ",0x" + hex + ",0x" + hex + "\n",
		"short":  "123456,abc,2024-01-01,true,,17.25,xyz\n",
		"quoted": "\"123456\",\"some words of text\",\"2024-01-01\",\"a \"\"b\"\" c\",\"more, and more\"\n",
		"mixed":  "123456,\"some words, of text\",2024-01-01,,17.25,\"two\nlines\"\r\n",
	}
	if f.escapes() {
		kinds["escape"] = "123456,some words\\, of text,C:\\\\dir,,17.25,\"a \\\"b\\\" c\"\r\n"
	}
	data := make(map[string][]byte, len(kinds))
	for name, record := range kinds {
		data[name] = bytes.Repeat([]byte(record), 16<<20/len(record))
	}
	return data
}

func BenchmarkSplitter(b *testing.B) { benchSplitter(b, DefaultFormat) }

func BenchmarkSplitterEscape(b *testing.B) { benchSplitter(b, escaped) }

func benchSplitter(b *testing.B, f Format) {
	for name, data := range benchData(f) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			buf := make([]byte, 0, DefaultChunkSize)
			for b.Loop() {
				s := NewSplitter(bytes.NewReader(data), f, Options{})
				for {
					c, err := s.Next(buf)
					if err == io.EOF {
						break
					}
					if err != nil {
						b.Fatal(err)
					}
					buf = c.Data
				}
			}
		})
	}
}

func BenchmarkParser(b *testing.B) { benchParser(b, DefaultFormat) }

func BenchmarkParserEscape(b *testing.B) { benchParser(b, escaped) }

func benchParser(b *testing.B, f Format) {
	for name, data := range benchData(f) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			p := NewParser(f)
			for b.Loop() {
				for p.Reset(Chunk{Data: data, Line: 1}); p.Next(); {
					if err := p.Record().Err; err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func BenchmarkAppendField(b *testing.B) {
	for name, text := range map[string]string{
		"short":  "abc-123",
		"hex":    "0x" + strings.Repeat("0123456789abcdef", 4),
		"quoted": "a \"b\" c, and d",
	} {
		b.Run(name, func(b *testing.B) {
			in, out := []byte(text), make([]byte, 0, 256)
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				out = DefaultFormat.AppendField(out[:0], in, true)
			}
		})
	}
}
