package spec

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// maxPassword bounds what is read of a file for a password's sake.
const maxPassword = 64 << 10

// findPassword finds the password: as it is set, or in the file that is named,
// or else from the user.
func (c *Connection) findPassword(env Environment) error {
	if c.Password == "" && c.PasswordFile != "" {
		password, err := readPassword(c.PasswordFile)
		if err != nil {
			return fmt.Errorf("--%s: %w", c.name("password-file"), err)
		}
		c.Password = password
		env.WarnReadable("--"+c.name("password-file"), c.PasswordFile)
	}
	switch {
	case c.User == "" && c.Password != "":
		return fmt.Errorf("a password is given but no user: name one with --%s", c.name("user"))
	case c.User == "" || c.Password != "":
		return nil
	}
	password, err := env.AskPassword(c.User)
	c.Password = password
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

// WarnReadable warns of a file with a secret in it that others may read. Others cannot read a pipe.
func (e Environment) WarnReadable(setting, path string) {
	info, err := os.Stat(path)
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		e.Warn(
			"%s %s: others than its owner have rights to this file (mode %04o); chmod 600 takes them away",
			setting,
			path,
			info.Mode().Perm(),
		)
	}
}
