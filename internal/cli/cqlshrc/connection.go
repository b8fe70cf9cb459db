package cqlshrc

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/config"
)

// The sections about connections.
const (
	connection = "connection"
	ssl        = "ssl"
	certFiles  = "certfiles"
	protocol   = "protocol"
)

// Setting is a flag and its value.
type Setting struct {
	Flag, Value string
	Origin      config.Origin
}

// Connection is how cqlsh connects, as flags.
type Connection struct {
	Settings     []Setting // without the password
	Password     string    // empty: none
	PasswordFile string    // that has the password
	Read         []string  // what was read: variables, and files with their sections
	Notes        []string  // settings that are not done
}

// Chosen returns the value of a flag that the user has set for cqlbulk, which takes precedence. It
// may be set on the command line, in the environment or in the configuration file. If it is not
// set, ok is false.
type Chosen func(flag string) (value string, ok bool)

// Connection returns how cqlsh connects by its environment, its cqlshrc and its file of
// credentials.
func (f *File) Connection(chosen Chosen) (Connection, error) {
	r := reader{file: f, chosen: chosen}
	r.host()
	r.tls()
	r.login()
	if r.err != nil {
		return Connection{}, r.err
	}
	if variables := r.variables(); len(variables) > 0 {
		r.made.Read = append(r.made.Read, "the environment: "+strings.Join(variables, ", "))
	}
	for _, file := range []*File{f, r.credentials} {
		if file != nil && file.Read() != "" {
			r.made.Read = append(r.made.Read, file.Read())
		}
	}
	return r.made, nil
}

// reader makes a Connection.
type reader struct {
	file        *File
	credentials *File // nil: not read
	chosen      Chosen
	made        Connection
	err         error // the first one
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) note(format string, args ...any) {
	r.made.Notes = append(r.made.Notes, fmt.Sprintf(format, args...))
}

// set sets a flag unless the user has set it. v is where the text comes from.
func (r *reader) set(flag, text string, v value) {
	if _, ok := r.chosen(flag); !ok {
		r.made.Settings = append(r.made.Settings, Setting{flag, text, v.origin})
	}
}

// get returns an option of the file.
func (r *reader) get(section, name string) (value, bool) {
	v, ok, err := r.file.get(section, name)
	if err != nil {
		r.fail(err)
	}
	return v, ok
}

// variable returns a variable of cqlsh's environment, or an option of the file.
func (r *reader) variable(variable, section, name string) (value, bool) {
	if text := os.Getenv(variable); text != "" && r.file.ours {
		from := config.Origin{From: config.FromEnvironment, Variable: variable}
		return value{text: text, name: variable, origin: from}, true
	}
	return r.get(section, name)
}

// variables returns the names of variables that settings come from.
func (r *reader) variables() []string {
	var names []string
	for _, s := range r.made.Settings {
		if s.Origin.From == config.FromEnvironment {
			names = append(names, s.Origin.Variable)
		}
	}
	return names
}

// isTrue reports whether a value is true.
func (r *reader) isTrue(v value) bool {
	switch strings.ToLower(v.text) {
	case "1", "yes", "true", "on":
		return true
	case "0", "no", "false", "off":
		return false
	}
	r.fail(v.errorf("must be true or false"))
	return false
}

// path returns an option of the file that is a path.
func (r *reader) path(v value) string {
	path, err := expand(v.text)
	if err != nil {
		r.fail(v.errorf("%w", err))
	}
	return path
}

// host reads which node to connect to.
func (r *reader) host() {
	if v, ok := r.variable("CQLSH_HOST", connection, "hostname"); ok {
		r.set("hosts", v.text, v)
	}
	if v, ok := r.variable("CQLSH_PORT", connection, "port"); ok {
		port, err := strconv.Atoi(strings.TrimSpace(v.text))
		if err != nil {
			r.fail(v.errorf("must be a whole number"))
		}
		r.set("port", strconv.Itoa(port), v)
	}
	if v, ok := r.get(connection, "ssl"); ok && r.isTrue(v) {
		r.set("ssl", "true", v)
	}
	for _, without := range []struct{ section, name, instead string }{
		{connection, "timeout", "connections have the time limit of --timeout"},
		{connection, "request_timeout", "requests of COPY have that of REQUESTTIMEOUT or PAGETIMEOUT"},
		{protocol, "version", "the highest version that the cluster has is used"},
	} {
		if v, ok := r.get(without.section, without.name); ok {
			r.note("%s: %s = %s is not done: %s", v.place(), v.name, v.text, without.instead)
		}
	}
}

// inForce returns the value of a flag that the user has set, or that was set here; empty: neither.
func (r *reader) inForce(flag string) string {
	if text, ok := r.chosen(flag); ok {
		return text
	}
	for _, s := range r.made.Settings {
		if s.Flag == flag {
			return s.Value
		}
	}
	return ""
}

// tls reads how connections are secured. Without --ssl it reads nothing, as cqlsh does.
func (r *reader) tls() {
	if r.inForce("ssl") != "true" {
		return
	}
	validate, ok := r.variable("SSL_VALIDATE", ssl, "validate")
	skip := ok && strings.EqualFold(validate.text, "false")
	_, trusted := r.chosen("cacert")
	_, named := r.chosen("ssl-server-name")
	switch {
	case skip && !trusted && !named:
		r.set("ssl-insecure-skip-verify", "true", validate)
	case r.inForce("ssl-insecure-skip-verify") != "true":
		r.authorities()
	}
	_, cert := r.chosen("cert")
	_, key := r.chosen("key")
	if cert || key { // they belong together
		return
	}
	if v, ok := r.get(ssl, "usercert"); ok {
		r.set("cert", r.path(v), v)
	}
	if v, ok := r.get(ssl, "userkey"); ok {
		r.set("key", r.path(v), v)
	}
	if v, ok := r.get(ssl, "version"); ok {
		r.note("%s: version = %s is not done: it is negotiated, as with cqlsh", v.place(), v.text)
	}
}

// authorities reads which authorities are trusted: one file for all nodes.
func (r *reader) authorities() {
	host := r.inForce("hosts")
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if host == "" {
		host = "127.0.0.1"
	}
	v, ok := r.variable("SSL_CERTFILE", certFiles, host)
	if !ok {
		v, ok = r.get(ssl, "certfile")
	}
	if !ok {
		return
	}
	r.set("cacert", r.path(v), v)
	for _, o := range r.file.parsed.Options(certFiles) {
		if o.Value != v.text && v.origin.From == config.FromFile {
			r.note("%s: %s = %s is not done: --cacert has the authorities of all nodes",
				placeOf(r.file.origin(o.Line), certFiles), o.Name, o.Value)
		}
	}
}
