package source

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/store"
)

// StdinList is the word for a list of inputs that the standard input has.
const StdinList = listMark + Stdin

// ReadsStdin reports whether a word is the standard input, or a list that the standard input has.
func ReadsStdin(word string) bool { return word == Stdin || word == StdinList }

const (
	listMark      = "@"      // begins the word that names a list
	maxListLine   = 64 << 10 // bytes
	maxListErrors = 10       // errors about the lines of one list that are reported
)

// Word names inputs as the user wrote it: a file, a folder, a pattern, or the standard input.
type Word struct {
	Text string
	List string // name of the list that has the word; empty: the command line has it
	Line int    // of the list, from 1
}

// Fail puts the list and the line of a word before an error about it.
func (w Word) Fail(err error) error {
	if w.List == "" || err == nil {
		return err
	}
	return fmt.Errorf("%s:%d: %w", w.List, w.Line, err)
}

// Words name the inputs of a load, in their order.
type Words []Word

// WordsOf returns words that stand for themselves, also if they begin with "@".
func WordsOf(texts []string) Words {
	words := make(Words, len(texts))
	for i, text := range texts {
		words[i].Text = text
	}
	return words
}

// Texts returns the texts of the words.
func (w Words) Texts() []string {
	texts := make([]string, len(w))
	for i := range w {
		texts[i] = w[i].Text
	}
	return texts
}

// ReadLists replaces each word that begins with "@" by the words of the list that it names. The
// list of "@-" is the standard input. ReadLists waits for the end of each list, or of ctx.
//
// A list is UTF-8 text, possibly compressed, with one word on each line. Blank lines, lines that
// begin with "#", and blanks around a word are skipped. Names are relative to the working
// directory. A list names neither another list nor the standard input.
//
// One error has all lists that cannot be read, and the lines that are wrong.
func (f Finder) ReadLists(ctx context.Context, texts []string) (Words, error) {
	lists, inputs := 0, 0 // that the standard input is to be
	for _, text := range texts {
		switch text {
		case StdinList:
			lists++
		case Stdin:
			inputs++
		}
	}
	switch {
	case lists > 0 && inputs > 0:
		return nil, errors.New(
			"@- and -: the standard input has the list of inputs, and cannot be an input too",
		)
	case lists > 1:
		return nil, errors.New("@-: the standard input can be read once")
	}
	var words Words
	var failures []error
	for _, text := range texts {
		name, isList := strings.CutPrefix(text, listMark)
		if !isList {
			words = append(words, Word{Text: text})
			continue
		}
		listed, err := f.readList(ctx, name)
		words, failures = append(words, listed...), append(failures, err)
	}
	if err := errors.Join(failures...); err != nil {
		return nil, err
	}
	return words, nil
}

// readList reads the list in a file, or in the standard input. It does not wait for a list any more
// if ctx ends; it then leaves a goroutine that does.
func (f Finder) readList(ctx context.Context, name string) (Words, error) {
	if name == "" {
		return nil, errors.New("@: name the file that has the list of inputs, as @list.txt")
	}
	in, err := f.Stores.Of(name)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", name, err)
	}
	var words Words
	read := make(chan struct{})
	go func() {
		defer close(read)
		if name == Stdin {
			words, err = readListIn(store.Stream{In: f.Stdin}, Stdin, StdinName)
		} else if err = checkListFile(in, name); err == nil {
			words, err = readListIn(in, name, name)
		}
	}()
	select {
	case <-read:
		return words, err
	case <-ctx.Done():
		return nil, fault.New(fault.Canceled, ctx.Err())
	}
}

// checkListFile refuses a name that no list can have.
func checkListFile(in store.Store, name string) error {
	ctx := context.Background()
	info, err := in.Stat(ctx, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		file := listMark + name
		if _, other := in.Stat(ctx, file); other == nil {
			return fmt.Errorf("list %s: %w: to load the file %s, name it ./%s",
				name, fs.ErrNotExist, file, file)
		}
		return fmt.Errorf("list %s: %w", name, fs.ErrNotExist)
	case err != nil:
		return fmt.Errorf("list: %w", err)
	case info.Kind == store.Folder:
		return fmt.Errorf("list %s: this is a folder: name it without the %s", name, listMark)
	}
	return nil
}

// readListIn reads a list in a store. shown is its name in messages.
func readListIn(s store.Store, name, shown string) (Words, error) {
	in, err := openIn(s, name, shown)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", shown, err)
	}
	words, err := parseList(shown, in)
	if err == nil && len(words) == 0 {
		err = fmt.Errorf("list %s: it names no input", shown)
	}
	return words, errors.Join(err, in.Close())
}

// parseList reads the lines of a list.
func parseList(name string, in io.Reader) (words Words, err error) {
	var failures listErrors
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxListLine)
	line := 0
	for lines.Scan() {
		text := lines.Text()
		if line++; line == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		word := Word{Text: strings.Trim(text, " \t\r"), List: name, Line: line}
		switch {
		case word.Text == "" || strings.HasPrefix(word.Text, "#"):
		case strings.HasPrefix(word.Text, listMark):
			failures.add(word, fmt.Errorf("%s: a list cannot name a list: a file of this name is ./%s",
				word.Text, word.Text))
		case word.Text == Stdin:
			failures.add(word, errors.New(
				"-: a list cannot name the standard input: name it on the command line"))
		default:
			words = append(words, word)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		word := Word{List: name, Line: line + 1}
		failures.add(word, fmt.Errorf("the line is longer than %s: this is no list of inputs",
			human.Size(maxListLine)))
	case err != nil:
		return nil, fmt.Errorf("list: %w", err) // which names the input
	}
	return words, failures.join()
}

// listErrors collects errors about words, at most maxListErrors of each list.
type listErrors struct {
	all  []error
	last string // name of the list of the last error
	more int    // errors about that list which are left out
	here int    // errors about that list
}

// add adds an error about a word.
func (l *listErrors) add(w Word, err error) {
	if err == nil {
		return
	}
	if w.List != l.last {
		l.endList()
		l.last = w.List
	}
	if l.here++; w.List != "" && l.here > maxListErrors {
		l.more++
		return
	}
	l.all = append(l.all, w.Fail(err))
}

// endList reports how many errors about a list were left out.
func (l *listErrors) endList() {
	if l.more > 0 {
		l.all = append(l.all, fmt.Errorf("%s: and %s of the kind",
			l.last, human.Of(l.more, "more line")))
	}
	l.here, l.more = 0, 0
}

// join returns one error of all; nil if there is none.
func (l *listErrors) join() error {
	l.endList()
	return errors.Join(l.all...)
}

// hintPlace adds to the error of a file that does not exist where it was probably meant: beside the
// list that names it.
func hintPlace(w Word, err error) error {
	if w.List == "" || !errors.Is(err, fs.ErrNotExist) || filepath.IsAbs(w.Text) {
		return err
	}
	path := filepath.Join(filepath.Dir(w.List), w.Text)
	var disk store.Disk
	if _, other := disk.Stat(context.Background(), path); other != nil {
		return err
	}
	return fmt.Errorf("%w: names are relative to the working directory; there is %s", err, path)
}
