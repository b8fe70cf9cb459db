package awskeys

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"gopkg.in/ini.v1"
)

// Settings are those of a service that the environment or the shared file has.
type Settings struct {
	Region   string // empty: none is set
	Endpoint string // a URL; empty: the one of AWS
}

// SettingsOf returns the settings of S3. The environment has them (AWS_REGION, AWS_DEFAULT_REGION,
// AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL), or else the shared file: region and endpoint_url of the
// profile. AWS_CONFIG_FILE and AWS_PROFILE name another file and profile than ~/.aws/config and
// default. The order is that of the AWS SDKs and Tools Reference Guide.
func SettingsOf() (Settings, error) {
	s := Settings{
		Region:   cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")),
		Endpoint: cmp.Or(os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL")),
	}
	path := sharedFile("AWS_CONFIG_FILE", "config")
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return s, fmt.Errorf("configuration of AWS: %w", err)
	}
	file, err := ini.LoadSources(ini.LoadOptions{AllowNestedValues: true}, text)
	if err != nil {
		return s, fmt.Errorf("configuration of AWS: %s: %w", path, err)
	}
	section := "default"
	if profile := os.Getenv("AWS_PROFILE"); profile != "" && profile != section {
		section = "profile " + profile
	}
	found, err := file.GetSection(section)
	if err != nil {
		return s, nil //nolint:nilerr // the profile may be one of the file of credentials
	}
	s.Region = cmp.Or(s.Region, found.Key("region").String())
	s.Endpoint = cmp.Or(s.Endpoint, found.Key("endpoint_url").String())
	return s, nil
}
