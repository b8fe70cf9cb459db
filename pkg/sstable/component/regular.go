package component

import (
	"fmt"
	"os"
)

// OpenFile opens a file for reading. It refuses what is no regular file: to open a pipe may wait
// forever.
func OpenFile(path string) (*os.File, error) {
	if err := checkRegular(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// ReadFile reads a file. It refuses what is no regular file.
func ReadFile(path string) ([]byte, error) {
	if err := checkRegular(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// checkRegular refuses a path that leads to something else than a regular file. If it leads
// nowhere, opening it fails.
func checkRegular(path string) error {
	if stat, err := os.Stat(path); err == nil && !stat.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file, but of the kind %s", path, kindOf(stat.Mode()))
	}
	return nil
}

// kindOf names the kind of a file that is not regular.
func kindOf(mode os.FileMode) string {
	switch {
	case mode.IsDir():
		return "folder"
	case mode&os.ModeNamedPipe != 0:
		return "named pipe"
	case mode&os.ModeSocket != 0:
		return "socket"
	case mode&os.ModeDevice != 0:
		return "device"
	}
	return mode.String()
}
