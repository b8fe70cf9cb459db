package driver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/gocql/gocql"
)

// AWSLogin logs in to Amazon Keyspaces with AWS credentials.
type AWSLogin struct {
	Region string // such as us-west-2
	// Keys returns the keys to sign with. It is called for each connection, by several goroutines:
	// the keys of a role change in the course of a run.
	Keys func() (AWSKeys, error)
}

// AWSKeys are the keys of an AWS identity.
type AWSKeys struct {
	AccessKey string
	SecretKey string
	Session   string // token of temporary keys; empty: they are lasting
}

// sigV4 is the login by AWS Signature Version 4. AWS' plugins for drivers define it, such as
// aws-sigv4-auth-cassandra-java-driver-plugin. The client names the mechanism. The server answers
// with a nonce, which the client signs as if it were the body of an HTTP request.
type sigV4 struct {
	login *AWSLogin
	now   func() time.Time
}

// Challenge is the answer to the name of the server's authenticator.
func (a sigV4) Challenge([]byte) ([]byte, gocql.Authenticator, error) {
	return []byte("SigV4\x00\x00"), sigV4Nonce(a), nil
}

// Success is called when the server has accepted the login.
func (sigV4) Success([]byte) error { return nil }

// sigV4Nonce is the second step of the login.
type sigV4Nonce sigV4

// Challenge signs the server's nonce.
func (a sigV4Nonce) Challenge(text []byte) ([]byte, gocql.Authenticator, error) {
	_, nonce, found := strings.Cut(string(text), "nonce=")
	nonce, _, _ = strings.Cut(nonce, ",")
	if !found || nonce == "" {
		return nil, nil, fmt.Errorf("SigV4: the server sent no nonce: %q", text)
	}
	keys, err := a.login.Keys()
	if err != nil {
		return nil, nil, fmt.Errorf("AWS credentials: %w", err)
	}
	return []byte(signNonce(nonce, a.login.Region, keys, a.now())), sigV4End{}, nil
}

// Success is called when the server has accepted the login.
func (sigV4Nonce) Success([]byte) error { return nil }

// sigV4End comes after the signature. The library would call a nil one.
type sigV4End struct{}

// Challenge refuses a third step.
func (sigV4End) Challenge(text []byte) ([]byte, gocql.Authenticator, error) {
	return nil, nil, fmt.Errorf("SigV4: the server asked for more than a signature: %q", text)
}

// Success is called when the server has accepted the login.
func (sigV4End) Success([]byte) error { return nil }

// signNonce returns the answer to a nonce, as the AWS General Reference has the steps ("Create a
// signed AWS API request").
func signNonce(nonce, region string, keys AWSKeys, now time.Time) string {
	const algorithm = "AWS4-HMAC-SHA256"
	at := now.UTC().Format("2006-01-02T15:04:05.000Z")
	day := now.UTC().Format("20060102")
	scope := strings.Join([]string{day, region, "cassandra", "aws4_request"}, "/")
	query := url.Values{
		"X-Amz-Algorithm":  {algorithm},
		"X-Amz-Credential": {keys.AccessKey + "/" + scope},
		"X-Amz-Date":       {at},
		"X-Amz-Expires":    {"900"},
	}
	request := strings.Join([]string{
		"PUT", "/authenticate", query.Encode(), "host:cassandra", "", "host", sha256Hex(nonce),
	}, "\n")
	key := []byte("AWS4" + keys.SecretKey)
	for _, part := range []string{day, region, "cassandra", "aws4_request"} {
		key = hmacSHA256(key, part)
	}
	signed := hmacSHA256(key, strings.Join([]string{algorithm, at, scope, sha256Hex(request)}, "\n"))
	answer := "signature=" + hex.EncodeToString(signed) + ",access_key=" + keys.AccessKey + ",amzdate=" + at
	if keys.Session != "" {
		answer += ",session_token=" + keys.Session
	}
	return answer
}

func sha256Hex(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func hmacSHA256(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(text)) // never fails
	return mac.Sum(nil)
}
