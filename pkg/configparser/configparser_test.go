package configparser

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// cqlshrc has what files of cqlsh have.
const cqlshrc = `; a comment
# another
[connection]
hostname = 10.0.0.1
Port: 9042
ssl = true

[authentication]
username = joe
password = a%b;c #d

[ui]
time_format = %Y-%m-%d %H:%M:%S%z

[copy]
NULL =
[copy-from:demo.Flights]
skipcols = a,
   b,
   # between the lines

   c
header = True
`

// chain is ten references, each to the next.
const chain = "[a]\na=%(b)s\nb=%(c)s\nc=%(d)s\nd=%(e)s\ne=%(f)s\nf=%(g)s\ng=%(h)s\n" +
	"h=%(i)s\ni=%(j)s\nj=%(k)s\n"

// texts are parsed here and by Python.
var texts = []string{
	"",
	"\n\n",
	cqlshrc,
	"[a]\nx=1\r\ny=2\rz=3",
	"[a]\nx = 1 ; kept\ny = 2 # kept\nz=;\n",
	"[a]\nx = a = b : c\ny : a = b\nz==\n",
	"[a]\nA Name With Spaces = 1\nÄ = Ö\n",
	"[a]\n'x' = 'y'\n\"z\" = \"\"\n",
	"[a]\n[b] [c] trailing\nx = 1\n",
	"[[a]]\nx = 1\n[b]]\ny = 2\n",
	"[ a ]\nx = 1\n",
	"[copy:ks.t = x]\nx = 1\n",
	"  [a]\n  x = 1\n    two\n  three = 3\n    [four]\n  [b]\n y = 1\n",
	"[a]\nx = 1\n two\n\n three\n\n\ny = 2\n\n",
	"[a]\nx =\n one\n  # no line\n two\n",
	"[a]\nx = 1\n# comment\n two\n",
	"[a]\nx = 1\n\ttwo\n\u00a0three\n\x1ffour\n",
	"[a]\n x = 1\n  two\n y = 2\nz = 3\n  four\n",
	"[a]\nx = tail \t\n",
	"[a]\nx = a\x0bb\x0c\n",
	"[a]\nx = \u2028y\u2029\n",
	"[a]\n[]=1\n",
	"[DEFAULT]\nx = 1\ny = 2\n[a]\ny = 3\n[b]\n",
	"[a]\ny = 3\n[DEFAULT]\nx = 1\n[DEFAULT]\nz = 4\n",
	"[default]\nx = 1\n[a]\n",
	"[a]\nx = %(y)s %% %(Y)s\ny = %(z)s\n[DEFAULT]\nz = 5\n",
	"[a]\nx = %(gone)s\ny = 100%\nz = %(x\nu = %()s\nv = %(w)d\nw = %x\n",
	"[a]\nx = %(x)s\n",
	chain + "k=end\n",
	chain + "k=%%\n",
	// refused
	"x = 1\n",
	"\n; comment\n  word\n",
	"[]\n",
	"[a\n",
	"[a]\nword\n",
	"[a]\n[a]\n",
	"[a]\nx = 1\n[b]\n[a]\n",
	"[a]\nx = 1\nX : 2\n",
	"[DEFAULT]\nx = 1\n[a]\n[DEFAULT]\nx = 2\n",
	"[a]\n= 1\n",
	"[a]\n: 1\n",
	"[a]\n  word\n",
	"[a]\nx = 1\nword\n",
}

// parsed is what is made of a text.
type parsed struct {
	Line     int             `json:"line,omitempty"` // of the error; 0: none
	Sections []parsedSection `json:"sections,omitempty"`
}

type parsedSection struct {
	Name    string         `json:"name"`
	Options []parsedOption `json:"options"`
}

type parsedOption struct {
	Name         string  `json:"name"`
	Value        string  `json:"value"`
	Interpolated *string `json:"interpolated"` // nil: refused
}

// parse is what this package makes of a text.
func parse(t *testing.T, text string) parsed {
	t.Helper()
	f, err := Parse(text)
	var broken *Error
	if errors.As(err, &broken) {
		return parsed{Line: broken.Line}
	}
	require.NoError(t, err)
	p := parsed{Sections: []parsedSection{}}
	for _, s := range f.Sections {
		section := parsedSection{Name: s.Name, Options: []parsedOption{}}
		for _, o := range f.Options(s.Name) {
			option := parsedOption{Name: o.Name, Value: o.Value}
			if text, err := f.Interpolate(s.Name, o); err == nil {
				option.Interpolated = &text
			}
			section.Options = append(section.Options, option)
		}
		p.Sections = append(p.Sections, section)
	}
	return p
}

var update = flag.Bool("update", false, "write testdata/python.json, with python3")

// testdata/python.json has what Python 3.11.7 makes of the texts.
func TestAgreesWithPython(t *testing.T) {
	const golden = "testdata/python.json"
	if *update {
		input, err := json.Marshal(texts)
		require.NoError(t, err)
		python := exec.CommandContext(t.Context(), "python3", "testdata/python.py")
		python.Stdin, python.Stderr = bytes.NewReader(input), os.Stderr
		out, err := python.Output()
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(golden, out, 0o600))
	}
	content, err := os.ReadFile(golden)
	require.NoError(t, err)
	var theirs []parsed
	require.NoError(t, json.Unmarshal(content, &theirs))
	require.Len(t, theirs, len(texts), "run this test with -update")
	for i, text := range texts {
		ours := parse(t, text)
		// Options of DEFAULT stand first here; Python puts them behind those of the section.
		for _, sections := range [][]parsedSection{ours.Sections, theirs[i].Sections} {
			for _, s := range sections {
				sortOptions(s.Options)
			}
		}
		require.Equal(t, theirs[i], ours, "%q", text)
	}
}

func TestLines(t *testing.T) {
	f, err := Parse("\ufeff" + cqlshrc)
	require.NoError(t, err)
	o, ok := f.Get("connection", "PORT")
	require.True(t, ok)
	require.Equal(t, Option{Name: "port", Value: "9042", Line: 5}, o)
	o, ok = f.Get("copy-from:demo.Flights", "header")
	require.True(t, ok)
	require.Equal(t, 23, o.Line)
	o, _ = f.Get("copy-from:demo.Flights", "skipcols")
	require.Equal(t, "a,\nb,\n\nc", o.Value)
	require.True(t, f.Has("copy"))
	require.False(t, f.Has(DefaultSection))
	_, ok = f.Get("copy-to", "header")
	require.False(t, ok)
	require.Empty(t, f.Options("copy-to"))
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"\n x = 1":                      `line 2: "x = 1": a section such as [copy] must come before it`,
		"[a]\nx":                        `line 2: "x": neither [section] nor name = value`,
		"[a]\n = 2":                     `line 2: "= 2": the name of an option is missing`,
		"[a]\nx = 1\n\nX = 2":           `line 4: "X = 2": option x stands in line 2 already`,
		"[a]\r\n[b]\r[a]":               `line 3: "[a]": section [a] stands in line 1 already`,
		"[a]\nx = 1\ny = \xff":          `line 3: "y = \xff": not text in UTF-8`,
		"[DEFAULT]\nx=1\n[DEFAULT]\nx=": `line 4: "x=": option x stands in line 2 already`,
	} {
		_, err := Parse(text)
		require.EqualError(t, err, want, text)
	}
	_, err := Parse("[a]\nx = 1\n[b]\nsecret")
	var broken *Error
	require.ErrorAs(t, err, &broken)
	require.Equal(t, Error{4, "b", "secret", "neither [section] nor name = value"}, *broken)

	f, err := Parse("[a]\ngone = %(no)s\nodd = 5%\nloop = %(loop)s\n" +
		"large = " + strings.Repeat("%(many)s", 100) + "\nmany = " + strings.Repeat("x", 1000))
	require.NoError(t, err)
	for name, want := range map[string]string{
		"gone":  "%(no)s: section [a] has no such option",
		"odd":   "a percent sign must be %%, or begin a reference such as %(name)s",
		"loop":  "references of %(name)s are more than 10 deep",
		"large": "with what %(name)s stands for it is longer than 64KiB",
	} {
		o, ok := f.Get("a", name)
		require.True(t, ok)
		_, err := f.Interpolate("a", o)
		require.EqualError(t, err, want, name)
	}
}
