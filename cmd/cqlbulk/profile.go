//go:build profile

package main

import (
	"fmt"
	"os"
	"runtime/pprof"
)

// The file that $CPUPROFILE names gets the samples: deploy/profile makes of them what the program
// is built with.
func init() {
	profiled = func(run func() int) int {
		f, err := os.Create(os.Getenv("CPUPROFILE"))
		if err == nil {
			err = pprof.StartCPUProfile(f)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "CPUPROFILE: %v\n", err)
			return 1
		}
		code := run()
		pprof.StopCPUProfile()
		if err := f.Close(); err != nil {
			fmt.Fprintf(os.Stderr, "CPUPROFILE: %v\n", err)
			return 1
		}
		return code
	}
}
