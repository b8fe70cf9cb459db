package s3

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/minio/minio-go/v7"

	"github.com/cqlbulk/cqlbulk/internal/store"
)

const (
	// usualTries is how often a request is made, if Config says nothing. With the pauses that is a
	// minute for a service that is busy.
	usualTries = 16
	// firstTries is how often the service is tried before it has answered anything: its address
	// may be wrong.
	firstTries = 3
)

// try makes a request again while the service refuses it for now, or does not answer. The library
// could do that, but its second request reads a body that the first one may still be reading.
func (s *Store) try(ctx context.Context, request func() error) error {
	for tries := 1; ; tries++ {
		err := request()
		if err == nil || errors.As(err, new(minio.ErrorResponse)) {
			s.reached.Store(true)
		}
		most := s.tries
		if !s.reached.Load() {
			most = min(most, firstTries)
		}
		if err == nil || tries >= most || !passing(err) || store.Pause(ctx, tries) != nil {
			return err
		}
	}
}

// passingCodes are those of answers with another status. A body came too slowly, the completion of
// an upload failed after the status was sent, or there are other writers.
var passingCodes = []string{
	"RequestTimeout", "InternalError", "SlowDown", "ServiceUnavailable", "OperationAborted",
	"ConditionalRequestConflict",
}

// passing reports whether the cause of an error may pass.
func passing(err error) bool {
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) {
		return !errors.Is(err, context.Canceled)
	}
	switch answer.StatusCode {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return slices.Contains(passingCodes, answer.Code)
}

// stat asks what an object is.
func (s *Store) stat(ctx context.Context, bucket, key string) (found minio.ObjectInfo, err error) {
	err = s.try(ctx, func() error {
		found, err = s.core.StatObject(ctx, bucket, key, minio.StatObjectOptions{})
		return err
	})
	return found, err
}
