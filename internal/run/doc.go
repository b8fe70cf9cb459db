// Package run is about runs of any command. Run directories are in its parts: journal (the file
// that is appended to), records (what is written there) and reject (the folder of rejected rows).
package run
