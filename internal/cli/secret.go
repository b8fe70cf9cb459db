package cli

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
)

// askPassword asks for a password at the terminal, without echo. Standard input and output may be
// pipes. Without any terminal it returns an error.
func askPassword(s streams, user string) (string, error) {
	missing := fmt.Errorf(
		"no password for user %q: give --password-file or CQLBULK_PASSWORD (there is no terminal to ask at)",
		user,
	)
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
		return "", fault.New(
			fault.Canceled,
			errors.New("interrupted while asking for the password"),
		)
	}
}
