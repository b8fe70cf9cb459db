package setting

import (
	"fmt"
	"io/fs"
	"strconv"
)

// Mode is the mode of files, which their owner can read and write. 0 means 600.
type Mode uint32

// ownerOnly is the mode of a file that only its owner can read and write.
const ownerOnly Mode = 0o600

// File returns the mode of a file.
func (m Mode) File() fs.FileMode {
	if m == 0 {
		m = ownerOnly
	}
	return fs.FileMode(m)
}

// Folder returns the mode of a folder: users who can read its files can enter it.
func (m Mode) Folder() fs.FileMode {
	file := m.File()
	return file | file&0o444>>2
}

// String writes the mode in octal, as chmod takes it.
func (m *Mode) String() string { return fmt.Sprintf("%03o", m.File()) }

// Type is what help calls the value.
func (*Mode) Type() string { return "mode" }

// Set reads a mode as chmod takes it in octal.
func (m *Mode) Set(text string) error {
	value, err := strconv.ParseUint(text, 8, 32)
	mode := Mode(value)
	switch {
	case err != nil || len(text) < 3 || len(text) > 4:
		return fmt.Errorf("%q is no mode: write three octal digits, such as 640", text)
	case mode&^0o777 != 0:
		return fmt.Errorf(
			"%q: files of rows have no set-user-ID, set-group-ID or sticky bit: write it as 640",
			text,
		)
	case mode&0o111 != 0:
		return fmt.Errorf(
			"%q: files of rows are not run: write it without the bits of execution, as %03o",
			text,
			uint32(mode&^0o111|ownerOnly),
		)
	case mode&ownerOnly != ownerOnly:
		return fmt.Errorf(
			"%q: the owner must be able to read and write the files: write it as %03o",
			text,
			uint32(mode|ownerOnly),
		)
	case mode&0o002 != 0:
		return fmt.Errorf(
			"%q: anyone could change the files: write it as %03o",
			text,
			uint32(mode&^0o002),
		)
	}
	*m = mode
	return nil
}
