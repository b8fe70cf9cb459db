package tablefile

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// change rewrites a component of the SSTable nb-1.
func change(t testing.TB, folder string, c component.Kind, how func([]byte) []byte) {
	t.Helper()
	path := filepath.Join(folder, component.Descriptor{Version: component.NB, ID: "1"}.Name(c))
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, how(b), 0o600))
}

// refused requires that Verify refuses the SSTable nb-1, with an error that contains want.
func refused(t testing.TB, folder string, check Check, want string) {
	t.Helper()
	_, err := Verify(Folder(folder, component.Descriptor{Version: component.NB, ID: "1"}), check)
	require.ErrorContains(t, err, want)
}

func TestVerifyFindsAComponentThatIsMissing(t *testing.T) {
	for _, c := range []component.Kind{
		component.DataDB,
		component.IndexDB,
		component.FilterDB,
		component.SummaryDB,
		component.StatisticsDB,
		component.CompressionInfoDB,
		component.DigestCRC32,
		component.TOCTxt,
	} {
		folder, d := written(t, component.NB, testOptions(compressions[1]))
		require.NoError(t, os.Remove(filepath.Join(folder, d.Name(c))))
		refused(t, folder, testCheck(t), string(c))
		if c == component.TOCTxt {
			continue
		}
		change(
			t,
			folder,
			component.TOCTxt,
			func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(c+"\n"), nil) },
		)
		_, err := Verify(Folder(folder, d.Descriptor), testCheck(t))
		require.Error(t, err, "%s is not named either", c)
	}
}

func TestVerifyFindsAComponentThatIsNotNamed(t *testing.T) {
	for _, c := range []component.Kind{component.FilterDB, component.CRCDB} {
		folder, _ := written(t, component.NB, testOptions(component.Compression{}))
		change(
			t,
			folder,
			component.TOCTxt,
			func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(c+"\n"), nil) },
		)
		refused(t, folder, testCheck(t), "does not name "+string(c))
	}
}

// flip changes a bit in the middle.
func flip(b []byte) []byte {
	b[len(b)/2] ^= 1
	return b
}

func TestVerifyFindsDataThatWasChanged(t *testing.T) {
	for _, c := range compressions {
		for name, how := range map[string]func([]byte) []byte{
			"flipped": flip,
			"cut off": func(b []byte) []byte { return b[:len(b)-1] },
			"longer":  func(b []byte) []byte { return append(b, 0) },
		} {
			folder, d := written(t, component.NB, testOptions(c))
			change(t, folder, component.DataDB, how)
			_, err := Verify(Folder(folder, d.Descriptor), testCheck(t))
			require.Error(t, err, "%s, %s", c.Compressor, name)
		}
	}
}

func TestVerifyFindsDataThatIsNotThatOfTheDigest(t *testing.T) {
	folder, d := written(t, component.NB, testOptions(component.Compression{}))
	require.NoError(t, os.Remove(filepath.Join(folder, d.Name(component.CRCDB))))
	change(
		t,
		folder,
		component.TOCTxt,
		func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(component.CRCDB+"\n"), nil) },
	)
	_, err := Verify(Folder(folder, d.Descriptor), testCheck(t))
	require.NoError(t, err)
	change(t, folder, component.DataDB, func(b []byte) []byte {
		i := bytes.Index(b, []byte("static"))
		b[i] ^= 1
		return b
	})
	refused(t, folder, testCheck(t), "digest")
	folder, _ = written(t, component.NB, testOptions(compressions[1]))
	change(t, folder, component.DigestCRC32, func([]byte) []byte { return []byte("1") })
	refused(t, folder, testCheck(t), "digest")
}

func TestVerifyFindsChunksThatAreElsewhere(t *testing.T) {
	folder, _ := written(t, component.NB, testOptions(compressions[1]))
	change(t, folder, component.CompressionInfoDB, func(b []byte) []byte {
		ci, err := component.ParseCompressionInfo(b, component.NB)
		require.NoError(t, err)
		ci.Offsets[1]++
		return ci.Append(nil, component.NB)
	})
	refused(t, folder, testCheck(t), "chunk 0 at")
}

// wrong writes an SSTable as a writer does that checks nothing.
func wrong(t testing.TB, write func(c *sstable.Codec, w *Writer)) string {
	t.Helper()
	folder := t.TempDir()
	c := codecOf(t, testTable(t), component.NB, testMinima)
	w, err := create(folder, c, testOptions(component.Compression{}))
	require.NoError(t, err)
	write(c, w)
	_, err = w.Commit()
	require.NoError(t, err)
	return folder
}

func TestVerifyFindsKeysOutOfOrder(t *testing.T) {
	keys := sortedKeys(3)
	for _, order := range [][]int{{1, 0, 2}, {0, 1, 1}} {
		folder := wrong(t, func(_ *sstable.Codec, w *Writer) {
			for _, i := range order {
				w.h1, w.h2 = token.Murmur3Sum128(keys[i])
				require.NoError(t, w.rows.Begin(keys[i], sstable.Deletion{}))
				w.collect.partition(sstable.Deletion{})
				require.NoError(t, w.End())
			}
		})
		refused(t, folder, testCheck(t), "does not come behind key")
	}
}

// testRow is a row of the test table with one cell or none.
func testRow(t testing.TB, c *sstable.Codec, a byte, b string, live bool) []byte {
	t.Helper()
	row := &sstable.Row{Clustering: [][]byte{{0, 0, 0, a}, []byte(b)}}
	if live {
		row.Liveness = sstable.Liveness{Set: true, Timestamp: testTime}
	}
	encoded, err := c.AppendRow(nil, row)
	require.NoError(t, err)
	return encoded
}

func TestVerifyFindsRowsThatAreWrong(t *testing.T) {
	deletion := sstable.Deletion{Set: true, Timestamp: testTime, Time: testSecond}
	for name, c := range map[string]struct {
		want  string
		write func(c *sstable.Codec, w *Writer) []error
	}{
		"clustering ascends where it descends": {"does not come behind", func(c *sstable.Codec, w *Writer) []error {
			return []error{w.Row(testRow(t, c, 1, "b", true)), w.Row(testRow(t, c, 2, "b", true))}
		}},
		"the same clustering twice": {"does not come behind", func(
			c *sstable.Codec,
			w *Writer,
		) []error {
			return []error{w.Row(testRow(t, c, 1, "b", true)), w.Row(testRow(t, c, 1, "b", true))}
		}},
		"second column out of order": {"does not come behind", func(
			c *sstable.Codec,
			w *Writer,
		) []error {
			return []error{w.Row(testRow(t, c, 1, "c", true)), w.Row(testRow(t, c, 1, "b", true))}
		}},
		"elements of a list out of order": {"does not come behind", func(
			c *sstable.Codec,
			w *Writer,
		) []error {
			path := func(at byte) []byte {
				return append(make([]byte, 6), 0x10, at, 0x80, 0, 0, 0, 0, 0, 0, 0)
			}
			row := &sstable.Row{
				Clustering: [][]byte{{0, 0, 0, 1}, []byte("b")},
				Cells: []sstable.Cell{
					{Column: 2, Timestamp: testTime, Path: path(2), Value: []byte("v")},
					{Column: 2, Timestamp: testTime, Path: path(1), Value: []byte("v")},
				},
			}
			encoded, err := c.AppendRow(nil, row)
			return []error{err, w.Row(encoded)}
		}},
		"a row of nothing": {"says nothing", func(c *sstable.Codec, w *Writer) []error {
			return []error{w.Row(testRow(t, c, 1, "b", false))}
		}},
		"a range without end": {"has no end", func(_ *sstable.Codec, w *Writer) []error {
			m := sstable.Marker{Kind: sstable.InclusiveStart, Started: deletion}
			return []error{w.Marker(&m)}
		}},
		"a range without start": {"ends the deletion", func(_ *sstable.Codec, w *Writer) []error {
			return []error{w.Marker(&sstable.Marker{Kind: sstable.InclusiveEnd, Ended: deletion})}
		}},
		"a range that ends before it starts": {"does not come behind", func(
			_ *sstable.Codec,
			w *Writer,
		) []error {
			return []error{
				w.Marker(&sstable.Marker{
					Kind:    sstable.InclusiveStart,
					Values:  [][]byte{{0, 0, 0, 1}},
					Started: deletion,
				}),
				w.Marker(&sstable.Marker{
					Kind:   sstable.InclusiveEnd,
					Values: [][]byte{{0, 0, 0, 2}},
					Ended:  deletion,
				}),
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := wrong(t, func(codec *sstable.Codec, w *Writer) {
				require.NoError(t, w.Begin(keyOne, sstable.Deletion{}))
				for _, err := range c.write(codec, w) {
					require.NoError(t, err)
				}
				require.NoError(t, w.End())
			})
			refused(t, folder, testCheck(t), c.want)
		})
	}
}

func TestVerifyFindsTokensOutsideOfTheRanges(t *testing.T) {
	folder, d := written(t, component.NB, testOptions(component.Compression{}))
	check := testCheck(t)
	low, high, _ := token.Halve(token.Whole(token.Murmur3))
	check.Ranges = []token.Range{high, low}
	_, err := Verify(Folder(folder, d.Descriptor), check)
	require.NoError(t, err)
	check.Ranges = []token.Range{high}
	refused(t, folder, check, "is in none of the 1 ranges")
	check.Ranges = []token.Range{low}
	refused(t, folder, check, "is in none of the 1 ranges")
	// All but one token, in ranges that lie in each other.
	at := token.Murmur3.Hash(keyOne)
	before := token.Token{Lo: at.Lo - 1}
	check.Ranges = []token.Range{
		{Start: at, End: high.End},
		{Start: low.Start, End: before},
		{Start: low.Start, End: token.Token{Lo: 1}},
	}
	refused(t, folder, check, "partition 00000001: token")
	check.Ranges[1].End = at
	_, err = Verify(Folder(folder, d.Descriptor), check)
	require.NoError(t, err)
}

// TestVerifyFindsEveryByteThatIsChanged changes each byte of an SSTable, one at a time. It leaves
// out the filter, which may have more keys than there are, and CompressionInfo.db, where not all
// bytes matter. It also leaves out the length of the only block in CRC.db. Statistics.db is long,
// so that some of its bytes must do.
func TestVerifyFindsEveryByteThatIsChanged(t *testing.T) {
	folder := wrong(t, func(c *sstable.Codec, w *Writer) {
		for n, key := range sortedKeys(20) {
			require.NoError(t, w.Begin(key, sstable.Deletion{}))
			for a := range byte(n % 3) {
				require.NoError(t, w.Row(testRow(t, c, 9-a, "b", true)))
			}
			require.NoError(t, w.End())
		}
	})
	d := component.Descriptor{Version: component.NB, ID: "1"}
	_, err := Verify(Folder(folder, d), testCheck(t))
	require.NoError(t, err)
	for c, step := range map[component.Kind]int{
		component.DataDB:       1,
		component.IndexDB:      1,
		component.SummaryDB:    1,
		component.DigestCRC32:  1,
		component.CRCDB:        1,
		component.StatisticsDB: 31,
	} {
		path := filepath.Join(folder, d.Name(c))
		good, err := os.ReadFile(path)
		require.NoError(t, err)
		first := 0
		if c == component.CRCDB {
			first = 4
		}
		for i := first; i < len(good); i += step {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << (i % 7)
			require.NoError(t, os.WriteFile(path, bad, 0o600))
			_, err := Verify(Folder(folder, d), testCheck(t))
			require.Error(t, err, "%s: byte %d", c, i)
		}
		require.NoError(t, os.WriteFile(path, good, 0o600))
	}
}

func TestVerifyNeedsAnInterval(t *testing.T) {
	folder, _ := written(t, component.NB, testOptions(component.Compression{}))
	check := testCheck(t)
	check.IndexInterval = 0
	refused(t, folder, check, "min_index_interval")
}

func TestVerifyFindsAFilterWithoutAKey(t *testing.T) {
	folder, _ := written(t, component.NB, testOptions(component.Compression{}))
	change(t, folder, component.FilterDB, func(b []byte) []byte {
		b[len(b)/2] &= b[len(b)/2] - 1
		return b
	})
	refused(t, folder, testCheck(t), "Filter.db does not have the partition of token")
	// The layout of another version.
	folder, _ = written(t, component.NB, testOptions(component.Compression{}))
	change(t, folder, component.FilterDB, func(b []byte) []byte {
		f, err := component.ParseFilter(b, component.NB)
		require.NoError(t, err)
		return f.Append(nil, component.MD)
	})
	refused(t, folder, testCheck(t), "Filter.db does not have the partition of token")
}

// changeIndex rewrites the entries of Index.db.
func changeIndex(
	t testing.TB,
	folder string,
	how func([]component.IndexEntry) []component.IndexEntry,
) {
	t.Helper()
	change(t, folder, component.IndexDB, func(b []byte) []byte {
		r := component.NewIndexReader(bytes.NewReader(b))
		var entries []component.IndexEntry
		for {
			e, err := r.Next()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			entries = append(
				entries,
				component.IndexEntry{
					Key:      bytes.Clone(e.Key),
					Position: e.Position,
					Promoted: bytes.Clone(e.Promoted),
				},
			)
		}
		var out []byte
		for _, e := range how(entries) {
			out = component.AppendIndexEntry(out, e)
		}
		return out
	})
}

func TestVerifyFindsAnIndexThatIsWrong(t *testing.T) {
	for name, how := range map[string]func([]component.IndexEntry) []component.IndexEntry{
		"position": func(
			e []component.IndexEntry,
		) []component.IndexEntry {
			e[7].Position++
			return e
		},
		"key": func(
			e []component.IndexEntry,
		) []component.IndexEntry {
			e[7].Key[3]++
			return e
		},
		"last is missing": func(
			e []component.IndexEntry,
		) []component.IndexEntry {
			return e[:len(e)-1]
		},
		"one is missing": func(
			e []component.IndexEntry,
		) []component.IndexEntry {
			return append(e[:7], e[8:]...)
		},
		"one too many": func(
			e []component.IndexEntry,
		) []component.IndexEntry {
			return append(e, e[0])
		},
		"cut off": func(
			e []component.IndexEntry,
		) []component.IndexEntry {
			e[199].Promoted = []byte{1}
			return e
		},
	} {
		folder, _ := written(t, component.NB, testOptions(component.Compression{}))
		changeIndex(t, folder, how)
		_, err := Verify(Folder(folder, component.Descriptor{Version: component.NB, ID: "1"}), testCheck(t))
		require.ErrorContains(t, err, "Index.db", name)
	}
}

func TestVerifyFindsBlocksOfAPartitionThatAreWrong(t *testing.T) {
	schema := testCheck(t).Schema
	for name, how := range map[string]func(p *promotedIndex){
		"length of the header": func(p *promotedIndex) { p.HeaderLength++ },
		"deletion":             func(p *promotedIndex) { p.Deletion = sstable.Deletion{Set: true, Timestamp: 1, Time: 1} },
		"first clustering":     func(p *promotedIndex) { p.Blocks[1].First = p.Blocks[0].First },
		"last clustering": func(
			p *promotedIndex,
		) {
			p.Blocks[0].Last = p.Blocks[1].Last
		},
		"last clustering of the last": func(p *promotedIndex) { p.Blocks[len(p.Blocks)-1].Last = p.Blocks[0].Last },
		"offset":                      func(p *promotedIndex) { p.Blocks[1].Offset++ },
		"width":                       func(p *promotedIndex) { p.Blocks[0].Width-- },
		"width beyond the next":       func(p *promotedIndex) { p.Blocks[0].Width += 1000 },
		"width of the last": func(
			p *promotedIndex,
		) {
			p.Blocks[len(p.Blocks)-1].Width += 2
		},
		"an open range that is not":     func(p *promotedIndex) { p.Blocks[1].Open = sstable.Deletion{Set: true, Timestamp: 1, Time: 1} },
		"the last block is missing":     func(p *promotedIndex) { p.Blocks = p.Blocks[:len(p.Blocks)-1] },
		"a block in between is missing": func(p *promotedIndex) { p.Blocks = append(p.Blocks[:1], p.Blocks[2:]...) },
		"a block too many":              func(p *promotedIndex) { p.Blocks = append(p.Blocks, p.Blocks[0]) },
		"one block":                     func(p *promotedIndex) { p.Blocks = p.Blocks[:1] },
	} {
		folder, _ := written(t, component.NB, testOptions(component.Compression{}))
		changed := 0
		changeIndex(t, folder, func(entries []component.IndexEntry) []component.IndexEntry {
			for i := range entries {
				if len(entries[i].Promoted) == 0 {
					continue
				}
				p, err := parsePromotedIndex(entries[i].Promoted, component.NB, schema.PrefixLen)
				require.NoError(t, err)
				require.Greater(t, len(p.Blocks), 3)
				how(p)
				entries[i].Promoted, err = appendPromotedIndex(nil, p, component.NB)
				require.NoError(t, err)
				changed++
			}
			return entries
		})
		require.Equal(t, 1, changed)
		_, err := Verify(Folder(folder, component.Descriptor{Version: component.NB, ID: "1"}), testCheck(t))
		require.ErrorContains(t, err, "Index.db", name)
	}
}

func TestVerifyFindsASummaryThatIsWrong(t *testing.T) {
	for name, how := range map[string]func(s *component.Summary){
		"position": func(s *component.Summary) { s.Entries[3].Position++ },
		"key":      func(s *component.Summary) { s.Entries[3].Key[0]++ },
		"missing":  func(s *component.Summary) { s.Entries = s.Entries[1:] },
		"first":    func(s *component.Summary) { s.First[0]++ },
		"last":     func(s *component.Summary) { s.Last[0]++ },
		"interval": func(s *component.Summary) { s.Interval = 128 },
		"sampling": func(s *component.Summary) { s.Sampling = 64 },
	} {
		folder, _ := written(t, component.NB, testOptions(component.Compression{}))
		change(t, folder, component.SummaryDB, func(b []byte) []byte {
			s, err := component.ParseSummary(b)
			require.NoError(t, err)
			how(s)
			return s.Append(nil)
		})
		_, err := Verify(Folder(folder, component.Descriptor{Version: component.NB, ID: "1"}), testCheck(t))
		require.ErrorContains(t, err, "Summary.db", name)
	}
}

func TestVerifyFindsStatisticsThatAreWrong(t *testing.T) {
	for want, how := range map[string]func(s *component.Statistics){
		"timestamps from 1700000000000001": func(
			s *component.Statistics,
		) {
			s.Stats.MinTimestamp++
		},
		"to 1700000000000898": func(
			s *component.Statistics,
		) {
			s.Stats.MaxTimestamp--
		},
		"deletion from 1700000001": func(s *component.Statistics) { s.Stats.MinDeletion++ },
		"to 2147483646": func(
			s *component.Statistics,
		) {
			s.Stats.MaxDeletion = 1<<31 - 2
		},
		"times to live from 1": func(s *component.Statistics) { s.Stats.MinTTL = 1 },
		"to 3599":              func(s *component.Statistics) { s.Stats.MaxTTL-- },
		" rows":                func(s *component.Statistics) { s.Stats.Rows++ },
		" cells":               func(s *component.Statistics) { s.Stats.Cells++ },
		"deletions and expiries": func(
			s *component.Statistics,
		) {
			s.Stats.Tombstones.Counts[0]++
		},
		"levels": func(s *component.Statistics) { s.Stats.Level = 1 },
		"last repair": func(
			s *component.Statistics,
		) {
			s.Stats.RepairedAt = 1
		},
		"repair that is pending": func(
			s *component.Statistics,
		) {
			s.Stats.PendingRepair = make([]byte, 16)
		},
		"transient": func(
			s *component.Statistics,
		) {
			s.Stats.Transient = true
		},
		"sizes of partitions": func(
			s *component.Statistics,
		) {
			s.Stats.PartitionSizes.Counts[20]++
		},
		"cells of partitions": func(
			s *component.Statistics,
		) {
			s.Stats.PartitionCells.Counts[0]--
			s.Stats.PartitionCells.Counts[9]++
		},
		"keys of another file": func(
			s *component.Statistics,
		) {
			s.Cardinality.Add([]byte("another"))
		},
		"has clusterings from": func(s *component.Statistics) {
			stats := s.Stats
			stats.MinClustering, stats.MaxClustering = stats.MaxClustering, stats.MinClustering
		},
		"compression ratio": func(s *component.Statistics) { s.Stats.CompressionRatio = 0.5 },
		"partitioner": func(
			s *component.Statistics,
		) {
			s.Partitioner = "org.apache.cassandra.dht.RandomPartitioner"
		},
	} {
		folder := wrong(t, func(c *sstable.Codec, w *Writer) {
			for _, key := range sortedKeys(2) {
				require.NoError(t, w.Begin(key, sstable.Deletion{}))
				for a := range byte(3) {
					row := &sstable.Row{
						Clustering: [][]byte{{0, 0, 0, 9 - a}, []byte("b")},
						Liveness: sstable.Liveness{
							Set:       true,
							Timestamp: testTime,
							TTL:       3600,
							Expiry:    testSecond,
						},
					}
					if a > 0 {
						row.Liveness = sstable.Liveness{Set: true, Timestamp: testTime + 899}
					}
					encoded, err := c.AppendRow(nil, row)
					require.NoError(t, err)
					require.NoError(t, w.Row(encoded))
				}
				require.NoError(t, w.End())
			}
		})
		change(t, folder, component.StatisticsDB, func(b []byte) []byte {
			s, err := component.ParseStatistics(b, component.NB)
			require.NoError(t, err)
			how(s)
			return s.Append(nil, component.NB)
		})
		refused(t, folder, testCheck(t), want)
	}
}

func TestVerifyFindsColumnsThatAreNotTheTables(t *testing.T) {
	folder, _ := written(t, component.NB, testOptions(component.Compression{}))
	for want, how := range map[string]func(table *sstable.Table){
		`static column "s" is not one`: func(table *sstable.Table) { table.Statics = nil },
		`regular column "v" is not one`: func(
			table *sstable.Table,
		) {
			table.Regulars = table.Regulars[:2]
		},
		`regular column "i"`: func(table *sstable.Table) { table.Regulars[0] = columnOf(t, "i", "bigint") },
		`regular column "l"`: func(table *sstable.Table) { table.Regulars[1] = columnOf(t, "l", "frozen<list<text>>") },
		"column 1 of the partition key": func(
			table *sstable.Table,
		) {
			table.Key[0] = columnOf(t, "k", "bigint")
		},
		"1 columns of the partition key": func(table *sstable.Table) { table.Key = append(table.Key, columnOf(t, "k2", "int")) },
		"column 1 of the clustering":     func(table *sstable.Table) { table.Clustering[0].Desc = false },
		"2 columns of the clustering": func(
			table *sstable.Table,
		) {
			table.Clustering = table.Clustering[:1]
		},
	} {
		table := testTable(t)
		how(table)
		schema, err := sstable.Plan(table)
		require.NoError(t, err)
		check := testCheck(t)
		check.Schema = schema
		refused(t, folder, check, want)
	}
	table := testTable(t)
	table.Regulars = append(table.Regulars, columnOf(t, "another", "int"))
	schema, err := sstable.Plan(table)
	require.NoError(t, err)
	check := testCheck(t)
	check.Schema = schema
	_, err = Verify(Folder(folder, component.Descriptor{Version: component.NB, ID: "1"}), check)
	require.NoError(t, err)
}
