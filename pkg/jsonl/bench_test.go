package jsonl

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// benchData returns 16 MiB of records of each kind.
func benchData() map[string][]byte {
	blob := `"0x` + strings.Repeat("5a", 34) + `"`
	kinds := map[string]string{
		"flights": `{"year":2013,"month":1,"day":1,"dep_time":517,"sched_dep_time":515,"dep_delay":2,"arr_time":830,` +
			`"sched_arr_time":819,"arr_delay":11,"carrier":"UA","flight":1545,"tailnum":"N14228","origin":"EWR","dest":"IAH",` +
			`"air_time":227,"distance":1400,"hour":5,"minute":15,"time_hour":"2013-01-01T10:00:00Z"}` + "\n",
		"blobs":  `{"k":` + blob + `,"c0":` + blob + `,"c1":` + blob + `,"c2":` + blob + `,"c3":` + blob + `,"c4":` + blob + "}\n",
		"shapes": `{"id":1,"name":"x","on":true}` + "\n" + `{"name":"x","id":1}` + "\n" + `{"id":1,"tags":["a","b"],"at":{"x":1.5,"y":-2}}` + "\n",
		"long": `{"id":1,"text":"` + strings.Repeat(
			"some words of plain text, ",
			160,
		) + `"}` + "\n",
	}
	data := make(map[string][]byte, len(kinds))
	for name, record := range kinds {
		data[name] = bytes.Repeat([]byte(record), 16<<20/len(record))
	}
	return data
}

func BenchmarkSplitter(b *testing.B) {
	for name, data := range benchData() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			var buf []byte
			for b.Loop() {
				s := NewSplitter(bytes.NewReader(data), Options{})
				for {
					c, err := s.Next(buf)
					if errors.Is(err, io.EOF) {
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

// BenchmarkArray cuts and parses an array of pretty-printed flights.
func BenchmarkArray(b *testing.B) {
	record := bytes.ReplaceAll(benchData()["flights"][:380], []byte(",\""), []byte(",\n    \""))
	record = append(record[:bytes.IndexByte(record, '}')], "\n  },\n  "...)
	data := append([]byte("[\n  "), bytes.Repeat(record, 16<<20/len(record))...)
	data = append(bytes.TrimRight(data, ", \n"), "\n]\n"...)
	for name, parses := range map[string]bool{"split": false, "parse": true} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			var buf []byte
			p := NewParser()
			for b.Loop() {
				s := NewSplitter(bytes.NewReader(data), Options{})
				for {
					c, err := s.Next(buf)
					if errors.Is(err, io.EOF) {
						break
					}
					if err != nil {
						b.Fatal(err)
					}
					buf = c.Data
					if !parses {
						continue
					}
					for p.Reset(c); p.Next(); {
						if err := p.Record().Err; err != nil {
							b.Fatal(err)
						}
					}
				}
			}
		})
	}
}

func BenchmarkParser(b *testing.B) {
	for name, data := range benchData() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			p := NewParser()
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
