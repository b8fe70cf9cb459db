package journal

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// twenty makes a closed run of twenty records. It returns its folder, the bytes of its journal, the
// first line, the records, and where each line ends.
func twenty(t testing.TB) (dir string, text []byte, header string, records []string, ends []int) {
	t.Helper()
	j := create(t)
	for i := range 20 {
		require.NoError(
			t,
			j.Append([]string{"range", "chunk"}[i%2], entry{i, strings.Repeat("ab é,", i%4)}),
		)
	}
	require.NoError(t, j.Close())
	text, err := os.ReadFile(j.path())
	require.NoError(t, err)
	_, err = Read(j.dir, collect(&records))
	require.NoError(t, err)
	require.Len(t, records, 20)
	for at, c := range text {
		if c == '\n' {
			ends = append(ends, at+1)
		}
	}
	require.Len(t, ends, 21)
	require.NoError(
		t,
		os.Remove(filepath.Join(j.dir, syncedName)),
		"so it is when the machine goes down",
	)
	return j.dir, text, headerOf(j.manifest), records, ends
}

// What was synced once must be there, up to the last record.
func TestLessThanWasSynced(t *testing.T) {
	dir, text, _, _, ends := twenty(t)
	path := filepath.Join(dir, "journal")
	flipped := bytes.Clone(text)
	flipped[len(text)-5] ^= 1
	for name, c := range map[string]struct {
		synced string
		text   []byte
		wrong  bool
	}{
		"as it was":                    {fmt.Sprintf("%20d\n", len(text)), text, false},
		"a record is missing":          {fmt.Sprint(len(text)), text[:ends[19]], true},
		"a bit is flipped":             {fmt.Sprint(len(text)), flipped, true},
		"half a record is missing":     {fmt.Sprint(len(text)), text[:len(text)-9], true},
		"it was not synced":            {fmt.Sprint(ends[19]), text[:len(text)-9], false},
		"flipped, and not synced":      {fmt.Sprint(ends[19]), flipped, false},
		"more than was synced":         {fmt.Sprint(ends[5]), text, false},
		"what was there is not known":  {"12x", text[:ends[19]], false},
		"nothing is known to be there": {"", text[:ends[19]], false},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(path, c.text, 0o600))
			require.NoError(
				t,
				os.WriteFile(filepath.Join(dir, syncedName), []byte(c.synced), 0o600),
			)
			_, err := Read(dir, func(Record) error { return nil })
			j, openErr := Open(dir, func(Record) error { return nil })
			if !c.wrong {
				require.NoError(t, err)
				require.NoError(t, openErr)
				require.Equal(t, j.size, syncedSize(dir, j.root))
				require.NoError(t, j.Close())
				return
			}
			for _, err := range []error{err, openErr} {
				require.ErrorContains(
					t,
					err,
					fmt.Sprintf(
						"is damaged at record 20 (byte %d): whole records stood there, up to byte %d",
						ends[19],
						len(text),
					),
				)
			}
			stored, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, c.text, stored)
		})
	}
}

func TestJournalThatWasRemoved(t *testing.T) {
	j := create(t)
	require.NoError(t, j.Append("a", 1))
	require.NoError(t, j.Sync())
	require.NoError(t, os.RemoveAll(j.dir))
	require.NoError(t, j.Append("a", 2))
	require.ErrorContains(t, j.Sync(), "journal "+j.path()+": it was removed")
	require.ErrorContains(t, j.Append("a", 3), "it was removed")
	require.Error(t, j.Close())
}

func TestEveryPrefix(t *testing.T) {
	dir, text, header, records, ends := twenty(t)
	path := filepath.Join(dir, "journal")
	for n := len(header); n <= len(text); n++ {
		whole, end := 0, 0
		for i, e := range ends {
			if e <= n {
				whole, end = i, e
			}
		}
		want := Tail{Offset: int64(end), Bytes: int64(n - end)}
		seen := append([]string{}, records[:whole]...)
		require.NoError(t, os.WriteFile(path, text[:n], 0o600))
		require.NoError(t, os.RemoveAll(filepath.Join(dir, syncedName)))

		got := []string{}
		status, err := Read(dir, collect(&got))
		require.NoError(t, err, n)
		require.Equal(t, seen, got, n)
		require.Equal(t, want, status.Tail, n)

		got = []string{}
		j, err := Open(dir, collect(&got))
		require.NoError(t, err, n)
		require.Equal(t, seen, got, n)
		require.Equal(t, want, j.tail, n)
		require.NoError(t, j.Append("after", n))
		require.NoError(t, j.Close())
		stored, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(text[:end]), string(stored[:end]), n)
		got = nil
		_, err = Read(dir, collect(&got))
		require.NoError(t, err, n)
		require.Equal(t, append(seen, fmt.Sprintf("%d after %d", whole+1, n)), got)
	}
}

func TestEveryBit(t *testing.T) {
	dir, text, header, records, ends := twenty(t)
	path := filepath.Join(dir, "journal")
	last := ends[19]
	damaged := bytes.Clone(text)
	for bit := range 8 * len(text) {
		at := bit / 8
		damaged[at] ^= 1 << (bit % 8)
		got := []string{}
		n, tail, err := replay(bytes.NewReader(damaged), header, collect(&got))
		require.Equal(t, records[:len(got)], got, "bit %d: a wrong record", bit)
		if at < last {
			require.ErrorAs(t, err, new(*DamageError), "bit %d", bit)
		} else {
			require.NoError(t, err, "bit %d", bit)
			require.EqualValues(t, 19, n)
			require.Equal(t, Tail{Offset: int64(last), Bytes: int64(len(text) - last)}, tail)
		}
		if bit%61 == 0 && err != nil {
			require.NoError(t, os.WriteFile(path, damaged, 0o600))
			_, err := Open(dir, nothing)
			require.ErrorContains(t, err, "journal "+path+" is damaged at ")
			_, err = Read(dir, nothing)
			require.ErrorContains(t, err, "journal "+path+" is damaged at ")
			stored, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, damaged, stored, "left as it is")
		}
		damaged[at] ^= 1 << (bit % 8)
	}
}

func TestDamage(t *testing.T) {
	dir, text, header, _, ends := twenty(t)
	line := func(i int) []byte { return text[ends[i-1]:ends[i]] } // of record i
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	garbage := bytes.Repeat([]byte{0}, 5000)
	other := strings.Replace(header, header[20:24], "zzzz", 1)
	for name, c := range map[string]struct {
		text   []byte
		record uint64
		offset int
		want   string
	}{
		"a line is missing":   {join(text[:ends[4]], text[ends[5]:]), 5, ends[4], "record 6 stands there"},
		"a line is doubled":   {join(text[:ends[5]], line(5), text[ends[5]:]), 6, ends[5], "record 5 stands there"},
		"the last is doubled": {join(text, line(20)), 21, len(text), "record 20 stands there"},
		"lines are swapped":   {join(text[:ends[4]], line(6), line(5), text[ends[6]:]), 5, ends[4], "record 6 stands there"},
		"broken in between":   {join(text[:ends[4]], garbage, text[ends[4]:]), 5, ends[4], "it is broken, and record 6 behind it is whole"},
		"broken, then a gap":  {join(text[:ends[4]], []byte("x\ny\n"), text[ends[12]:]), 5, ends[4], "record 13 behind it is whole"},
		"a lost line feed":    {join(text[:ends[19]-1], text[ends[19]:]), 19, ends[18], "record 20 behind it is whole"},
		"an empty line":       {join(text[:ends[4]], []byte("\n"), text[ends[4]:]), 5, ends[4], "record 5 behind it is whole"},
		"a line without end":  {join(text, bytes.Repeat([]byte("x"), maxLine+1)), 21, len(text), "there is a line of more than 16777"},
		"and behind a broken": {join(text, []byte("x\n"), bytes.Repeat([]byte("x"), maxLine+1)), 21, len(text) + 2, "there is a line of more than 16777"},
		"emptied":             {nil, 0, 0, "it ends before it is whole"},
		"a part of a header":  {text[:30], 0, 0, "it ends before it is whole"},
		"another run":         {[]byte(other), 0, 0, "it belongs to another run than run.json beside it"},
		"part of another run": {[]byte(other[:30]), 0, 0, "it belongs to another run"},
		"another version":     {[]byte("cqlbulk-journal 2 abc\n"), 0, 0, `it is of version "2" of the journal, this cqlbulk reads 1`},
		"no journal":          {[]byte("id,name\n1,x\n"), 0, 0, "that is not how a journal of cqlbulk begins"},
		"no first line":       {text[ends[0]:], 0, 0, "that is not how a journal of cqlbulk begins"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, "journal")
			require.NoError(t, os.WriteFile(path, c.text, 0o600))
			j, err := Open(dir, nothing)
			require.Nil(t, j)
			var damage *DamageError
			require.ErrorAs(t, err, &damage)
			require.Equal(t, path, damage.Path)
			require.Equal(t, c.record, damage.Record)
			require.EqualValues(t, c.offset, damage.Offset)
			require.Contains(t, damage.Reason, c.want)
			require.ErrorContains(t, err, fmt.Sprintf("(byte %d)", c.offset))
			stored, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, len(c.text), len(stored))
			require.True(t, bytes.Equal(c.text, stored), "left as it is")
		})
	}
}

func TestTailOfGarbage(t *testing.T) {
	dir, text, _, _, _ := twenty(t)
	for name, tail := range map[string]string{
		"zeros":                    strings.Repeat("\x00", 100_000),
		"broken lines":             "x\n00000000 21 range {}\n\n",
		"looks like the next":      "00000000 22 range {} 00000000 22 range {}\n",
		"a record without its end": "00000000 21 range {\"text\":\"",
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(
				t,
				os.WriteFile(
					filepath.Join(dir, "journal"),
					append(bytes.Clone(text), tail...),
					0o600,
				),
			)
			j, err := Open(dir, nothing)
			require.NoError(t, err)
			require.EqualValues(t, 20, j.seq)
			require.Equal(t, Tail{Offset: int64(len(text)), Bytes: int64(len(tail))}, j.tail)
			require.NoError(t, j.Close())
		})
	}
}

func TestReadFails(t *testing.T) {
	_, text, header, _, ends := twenty(t)
	broken := bytes.Clone(text[:ends[3]])
	broken[ends[2]]++
	for _, data := range [][]byte{
		nil,
		text[:10],
		text[:ends[0]],
		text[:ends[3]],
		text[:ends[3]+5],
		broken,
	} {
		_, _, err := replay(io.MultiReader(bytes.NewReader(data), failing{}), header, nothing)
		require.ErrorIs(t, err, os.ErrInvalid)
		_, _, err = replayFile("p/journal", failing{}, header, 0, nothing)
		require.ErrorContains(t, err, "journal p/journal: ")
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, os.ErrInvalid }
