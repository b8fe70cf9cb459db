package s3

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"github.com/minio/minio-go/v7"

	"github.com/cqlbulk/cqlbulk/internal/store"
)

// Error is a request that failed.
type Error struct {
	Op   string // such as "open"
	Name string // of the object
	Code string // of the service; empty: it did not answer
	Err  error
	is   error // what it stands for, such as fs.ErrNotExist; nil: nothing
}

// Error returns the operation, the name and the reason.
func (e *Error) Error() string { return fmt.Sprintf("%s %s: %v", e.Op, e.Name, e.Err) }

// Unwrap gives the reason, and what it stands for.
func (e *Error) Unwrap() []error {
	if e.is == nil {
		return []error{e.Err}
	}
	return []error{e.Err, e.is}
}

// Codes of the service (Amazon S3 API Reference, Error responses).
const (
	codeNoKey     = "NoSuchKey"
	codeNoBucket  = "NoSuchBucket"
	codeNoUpload  = "NoSuchUpload"
	codeDenied    = "AccessDenied"
	codeSkewed    = "RequestTimeTooSkewed"
	codeExpired   = "ExpiredToken"
	codeNoSuchID  = "InvalidAccessKeyId"
	codeSignature = "SignatureDoesNotMatch"
	codeNoUser    = "XAdminUserNotFound" // of versitygw, with status 404
)

// explain returns an error of the library as one of this package; nil stays nil.
func explain(op, name string, err error) error {
	if err == nil {
		return nil
	}
	out := &Error{Op: op, Name: name, Err: err}
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) {
		return out
	}
	out.Code = answer.Code
	switch answer.Code {
	case codeNoBucket:
		out.is, out.Err = fs.ErrNotExist, errors.New("there is no such bucket")
		return out
	case codeNoKey, codeNoUpload:
		out.is, out.Err = fs.ErrNotExist, fs.ErrNotExist
		return out
	case codeSkewed:
		out.is = fs.ErrPermission
		out.Err = fmt.Errorf("%w: set the clock of this host", err)
		return out
	case codeExpired:
		out.is = fs.ErrPermission
		out.Err = fmt.Errorf("%w: the credentials have expired", err)
		return out
	}
	switch {
	case answer.Code == codeNoUser,
		answer.StatusCode == http.StatusForbidden,
		answer.StatusCode == http.StatusUnauthorized:
		out.is = fs.ErrPermission
		out.Err = fmt.Errorf("%s (%s)", denied(answer), answer.Code)
	case answer.StatusCode == http.StatusNotFound:
		out.is = fs.ErrNotExist
	case answer.StatusCode == http.StatusPreconditionFailed:
		out.is, out.Err = store.ErrChanged, store.ErrChanged
	}
	return out
}

// denied says why a request was refused. The answer to a HEAD has no words of the service.
func denied(answer minio.ErrorResponse) string {
	switch answer.Code {
	case codeDenied:
		return "the credentials may not do that"
	case codeNoSuchID, codeNoUser:
		return "the service does not know the access key"
	case codeSignature:
		return "the secret key is not the one of the access key"
	default:
		return answer.Message
	}
}
