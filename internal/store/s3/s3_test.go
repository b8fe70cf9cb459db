package s3_test

import (
	"testing"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/store/s3"
	"github.com/cqlbulk/cqlbulk/internal/test/s3test"
	"github.com/cqlbulk/cqlbulk/internal/test/storetest"
)

func TestConformance(t *testing.T) {
	server := s3test.Start(t)
	storetest.Run(t, func(t *testing.T) storetest.Place {
		s, err := s3.New(s3.Config{
			Endpoint: server.URL,
			Region:   s3test.Region,
			Keys:     credentials.NewStaticV4(s3test.AccessKey, s3test.SecretKey, ""),
			Retries:  2,
		})
		require.NoError(t, err)
		return storetest.Place{Store: s, Folder: s3.Scheme + server.Bucket(t) + "/a folder"}
	})
}
