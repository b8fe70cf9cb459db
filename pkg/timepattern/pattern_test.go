package timepattern

import (
	"bufio"
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sample is a line of a golden file: a text that another program wrote.
type sample struct {
	pattern *Pattern
	time    time.Time
	text    string
}

func samples(t *testing.T, file string) (all []sample) {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Split(lines.Text(), "\t")
		require.Len(t, fields, 3)
		p, err := Parse(fields[0])
		require.NoError(t, err)
		at, err := time.Parse("2006-01-02T15:04Z07:00", fields[1])
		if err != nil {
			at, err = time.Parse(time.RFC3339Nano, fields[1])
		}
		require.NoError(t, err)
		all = append(all, sample{p, at, fields[2]})
	}
	require.NotEmpty(t, all)
	return all
}

// Python and Java wrote these texts.
func TestTextsOfPythonAndJava(t *testing.T) {
	for _, file := range []string{"testdata/python.txt", "testdata/java.txt"} {
		for _, s := range samples(t, file) {
			got, ok := s.pattern.Append(nil, s.time)
			require.True(t, ok)
			require.Equal(t, s.text, string(got), "%s: %s", s.pattern, s.time)

			m, ok := s.pattern.Read([]byte(s.text))
			require.True(t, ok, "%s: %s", s.pattern, s.text)
			again, _ := s.pattern.Append(nil, m.Time(time.UTC).In(s.time.Location()))
			if m.Zoned {
				require.Equal(t, s.text, string(again), "%s", s.pattern)
				continue
			}
			again, _ = s.pattern.Append(nil, m.Time(s.time.Location()))
			require.Equal(t, s.text, string(again), "%s", s.pattern)
		}
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct{ pattern, text, want string }{
		{"yyyy-MM-dd[ HH:mm[:ss]]", "2024-03-01", "2024-03-01T00:00:00Z"},
		{"yyyy-MM-dd[ HH:mm[:ss]]", "2024-03-01 07:08", "2024-03-01T07:08:00Z"},
		{"yyyy-MM-dd[ HH:mm[:ss]]", "2024-03-01 07:08:09", "2024-03-01T07:08:09Z"},
		{"ISO_LOCAL_DATE_TIME", "2024-03-01T07:08:09.5", "2024-03-01T07:08:09.5Z"},
		{"ISO_INSTANT", "2024-03-01T07:08:09Z", "2024-03-01T07:08:09Z"},
		{"ISO_OFFSET_DATE_TIME", "2024-03-01T07:08+01:00", "2024-03-01T06:08:00Z"},
		{"d/M/y", "1/3/2024", "2024-03-01T00:00:00Z"},
		{"d/M/y", "01/03/2024", "2024-03-01T00:00:00Z"},
		{"MM/dd/yyyy hh:mm a", "03/01/2024 12:05 am", "2024-03-01T00:05:00Z"},
		{"dd/MM/yy", "01/03/99", "2099-03-01T00:00:00Z"},
		{"%d/%m/%y", "01/03/99", "1999-03-01T00:00:00Z"},
		{"yyyyMMddX", "20240301+01", "2024-02-29T23:00:00Z"},
		{"yyyy-MM-dd z", "2024-03-01 UTC", "2024-03-01T00:00:00Z"},

		{"dd/MM/yyyy", "1/3/2024", ""},
		{"yyyy-MM-dd", "2015-02-29", ""},
		{"yyyy-MM-dd", "2015-13-01", ""},
		{"yyyy-MM-dd", "2015-12-01 ", ""},
		{"HH:mm", "24:00", ""},
		{"yyyy-MM-dd xx", "2024-03-01 Z", ""},
		{"yyyy-MM-dd XXX", "2024-03-01 +24:00", ""},
		{"yyyy-MM-dd SSS", "2024-03-01 12", ""},
	} {
		p, err := Parse(c.pattern)
		require.NoError(t, err, c.pattern)
		m, ok := p.Read([]byte(c.text))
		require.Equal(t, c.want != "", ok, "%s: %s", c.pattern, c.text)
		if ok {
			require.Equal(t, c.want, m.Time(time.UTC).Format(time.RFC3339Nano), "%s: %s", c.pattern, c.text)
		}
	}
}

// A local time is of the location; a time with an offset is not.
func TestTimeOfALocation(t *testing.T) {
	berlin := time.FixedZone("CEST", 2*3600)
	for text, want := range map[string]string{
		"2024-07-01 12:00":       "2024-07-01T10:00:00Z",
		"2024-07-01 12:00 +0000": "2024-07-01T12:00:00Z",
	} {
		p, err := Parse("yyyy-MM-dd HH:mm[ xx]")
		require.NoError(t, err)
		m, ok := p.Read([]byte(text))
		require.True(t, ok)
		require.Equal(t, want, m.Time(berlin).UTC().Format(time.RFC3339))
	}
}

func TestBadPatterns(t *testing.T) {
	for pattern, want := range map[string]string{
		"%Y-%j":               "%j cannot be read",
		"%Y-%m%":              "ends in %",
		"":                    "no part of a date or time",
		"'yyyy'":              "no part of a date or time",
		"yyyy-MM-dd q":        "the letter q",
		"yyyy-MM-dd 'T":       "a single quote that is not closed",
		"yyyy[-MM":            "a bracket [ that is not closed",
		"yyyy]-MM":            "a bracket ] that closes none",
		"yyyyy":               "yyyyy is too long",
		"HHH":                 "HHH is too long",
		"SSSSSSSSSS":          "at most nine digits",
		"yyyy{":               "{ is reserved",
		"y[M][M][M][M][M][M]": "too many parts in brackets",
		"yyyy ZZZZ":           "ZZZZ cannot be read",
	} {
		_, err := Parse(pattern)
		require.ErrorContains(t, err, want, pattern)
	}
}

func TestYearsThatHaveNoText(t *testing.T) {
	p, err := Parse("%Y-%m-%d")
	require.NoError(t, err)
	for year, want := range map[int]bool{0: false, 1: true, 9999: true, 10000: false, -5: false} {
		_, ok := p.Append(nil, time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC))
		require.Equal(t, want, ok, year)
	}
}

func TestNothingIsAllocated(t *testing.T) {
	p, err := Parse("EEE, d MMM yyyy HH:mm:ss.SSS[ Z]")
	require.NoError(t, err)
	dst, at := make([]byte, 0, 64), time.Date(2024, 3, 1, 7, 8, 9, 0, time.UTC)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		dst, _ = p.Append(dst[:0], at)
		if _, ok := p.Read(dst); !ok {
			t.Error("not read")
		}
	}))
}

// FuzzPattern checks that what a pattern reads, it writes as a text that is read as the same.
func FuzzPattern(f *testing.F) {
	f.Add("%d/%m/%Y %I:%M %p", []byte("01/03/2024 12:05 AM"))
	f.Add("yyyy-MM-dd'T'HH:mm[:ss[.SSS]][XXX]", []byte("2024-03-01T07:08:09.123Z"))
	f.Add("EEE, d MMM yyyy HH:mm:ss Z", []byte("Fri, 1 Mar 2024 00:05:09 +0000"))
	f.Add("ISO_INSTANT", []byte("2024-03-01T07:08:09.5Z"))
	f.Fuzz(func(t *testing.T, pattern string, text []byte) {
		p, err := Parse(pattern)
		if err != nil {
			return
		}
		m, ok := p.Read(text)
		if !ok || p.LacksOfDate() != "" || p.LacksOfTime() != "" {
			return
		}
		zone := time.FixedZone("UTC", m.Offset)
		out, ok := p.Append(nil, m.Time(time.UTC).In(zone))
		if !ok {
			return
		}
		if _, ok := p.Read(out); !ok && !bytes.ContainsAny([]byte(pattern), " \t\n\v\f\r") {
			t.Errorf("%q by %q is written as %q, which is not read", text, pattern, out)
		}
	})
}
