package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
)

// maxPassword bounds what is read of a file for a password's sake.
const maxPassword = 64 << 10

// settlePassword finds the password: as it is set, or in the file that is named,
// or else from the user, where one sits at a terminal.
func (o *connectOptions) settlePassword(s streams) error {
	if o.Password != "" && o.flags.Changed("password") {
		s.warn("--password: others on this machine can see the password in the list of processes; --password-file and CQLBULK_PASSWORD keep it to yourself")
	}
	if o.Password == "" && o.PasswordFile != "" {
		password, err := readPassword(o.PasswordFile)
		if err != nil {
			return fmt.Errorf("--password-file: %w", err)
		}
		o.Password = password
		s.warnReadable("--password-file", o.PasswordFile)
	}
	switch {
	case o.User == "" && o.Password != "":
		return errors.New("a password is given but no user: name one with --user")
	case o.User == "" || o.Password != "":
		return nil
	}
	password, err := askPassword(s, o.User)
	o.Password = password
	return err
}

// readPassword gives the first line of a file.
func readPassword(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxPassword))
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(string(data), "\n")
	if first = strings.TrimRight(first, "\r"); first == "" {
		return "", fmt.Errorf("%s: the first line is empty", path)
	}
	return first, nil
}

// warnReadable warns of a file with a secret in it that others may read. A pipe is
// nobody else's.
func (s streams) warnReadable(setting, path string) {
	info, err := os.Stat(path)
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		s.warn("%s %s: others than its owner have rights to this file (mode %04o); chmod 600 takes them away", setting, path, info.Mode().Perm())
	}
}

// askPassword asks for a password at the terminal, without echo. Standard input and
// output may be pipes; a run without any terminal has nobody to ask.
func askPassword(s streams, user string) (string, error) {
	missing := fmt.Errorf("no password for user %q: give --password-file or CQLBULK_PASSWORD (without a terminal there is nobody to ask)", user)
	if in, _ := s.in.(*os.File); !printer.IsTerminal(s.err) && !printer.IsTerminal(in) {
		return "", missing
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return "", missing
	}
	defer func() { _ = tty.Close() }()
	before, err := term.GetState(int(tty.Fd()))
	if err != nil {
		return "", missing
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(interrupted)
	type answer struct {
		text []byte
		err  error
	}
	answers := make(chan answer, 1)
	fmt.Fprintf(tty, "Password of %s: ", user)
	go func() {
		text, err := term.ReadPassword(int(tty.Fd()))
		answers <- answer{text, err}
	}()
	select {
	case a := <-answers:
		fmt.Fprintln(tty)
		switch {
		case a.err != nil:
			return "", fmt.Errorf("reading the password: %w", a.err)
		case len(a.text) == 0:
			return "", fmt.Errorf("no password for user %q was entered", user)
		}
		return string(a.text), nil
	case <-interrupted:
		fmt.Fprintln(tty)
		// The program ends; the terminal stays and must show again what is typed.
		_ = term.Restore(int(tty.Fd()), before)
		return "", fault.New(fault.Canceled, errors.New("interrupted while asking for the password"))
	}
}
