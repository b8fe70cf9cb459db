package cqlshrc

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/cqlbulk/cqlbulk/internal/owner"
)

// The sections with names of users and passwords.
const (
	authentication    = "authentication"
	authProvider      = "auth_provider"
	plainTextAuth     = "plain_text_auth"       // of credentials
	plainTextProvider = "PlainTextAuthProvider" // of credentials; a class of the driver
)

// login reads the name of the user and the password.
func (r *reader) login() {
	user, hasUser := r.chosen("user")
	_, hasPassword := r.chosen("password")
	_, hasFile := r.chosen("password-file")
	hasPassword = hasPassword || hasFile
	if hasUser && hasPassword {
		return
	}
	r.openCredentials()
	name := r.username()
	switch {
	case !hasUser && name.text == "":
		return
	case !hasUser:
		user = name.text
		r.set("user", user, name)
	}
	r.provider()
	// cqlsh sends the password also for another user whom the command line names.
	if hasPassword || name.text != "" && name.text != user {
		return
	}
	if password := r.password(); password.text != "" {
		r.made.Password, r.made.PasswordFile = password.text, password.origin.Path
	}
}

// openCredentials reads the file of credentials: the one that the cqlshrc names, or the one beside
// it. As in cqlsh, a file that others can read does not count.
func (r *reader) openCredentials() {
	named, ok := r.get(authentication, "credentials")
	path := r.path(named)
	switch {
	case ok:
	case r.file.folder == "":
		return
	default:
		path = filepath.Join(r.file.folder, "credentials")
	}
	if isReadable(path) {
		r.note("%s is not used: it must belong to you, and others must not read it (chmod 600)", path)
		return
	}
	f, err := open(path, true)
	switch {
	case err == nil:
		r.credentials = f
	case !isAbsent(err):
		r.fail(err)
	case ok:
		r.note("%s: credentials: %s does not exist", named.place(), path)
	}
}

// isReadable reports whether a file of credentials is another user's, or others can read it. Root
// may use the file of any user.
func isReadable(path string) bool {
	info, err := os.Stat(path)
	return err == nil &&
		(info.Mode().Perm()&0o044 != 0 || os.Geteuid() != 0 && owner.Other(path) != "")
}

// username returns the name of the user.
func (r *reader) username() value {
	if r.credentials != nil {
		v, ok, err := r.credentials.get(plainTextAuth, "username")
		if err != nil {
			r.fail(err)
		}
		if ok {
			return v
		}
	}
	if v, ok := r.get(authentication, "username"); ok {
		return v
	}
	if r.credentials != nil {
		if v, ok := r.credentials.raw(plainTextProvider, "username"); ok {
			return v
		}
	}
	v, _ := r.get(authProvider, "username")
	return v
}

// password returns the password. Percent signs in it mean nothing, except in auth_provider.
func (r *reader) password() value {
	if r.credentials != nil {
		if v, ok := r.credentials.raw(plainTextAuth, "password"); ok {
			return v
		}
	}
	if v, ok := r.file.raw(authentication, "password"); ok {
		return v
	}
	if r.credentials != nil {
		if v, ok := r.credentials.raw(plainTextProvider, "password"); ok {
			return v
		}
	}
	v, _, err := r.file.get(authProvider, "password")
	if err != nil { // which may have a part of the password
		v, _ = r.file.raw(authProvider, "password")
		r.fail(fmt.Errorf("%s: password: a percent sign must be %%%%", v.place()))
	}
	return v
}

// provider notes a way to log in that cqlbulk does not have.
func (r *reader) provider() {
	v, ok := r.get(authProvider, "classname")
	if ok && v.text != plainTextProvider {
		r.note("%s: classname = %s is not done: cqlbulk logs in with a user and a password",
			v.place(), v.text)
	}
}
