package tablefile

import (
	"errors"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// errNoPartitions is the error of a component that should have partitions.
var errNoPartitions = errors.New("has no partitions")

// damaged returns the error of a component; it names the component, unless err does. nil stays nil.
func (f *tableFiles) damaged(c component.Kind, err error) error {
	if err == nil || errors.As(err, new(*component.Error)) {
		return err
	}
	return &component.Error{Path: f.path(c), Err: err}
}
