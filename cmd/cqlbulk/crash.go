package main

import (
	"os"
	"runtime/debug"
	"syscall"
)

// abortOnPanic has SIGABRT end the program if a goroutine panics that nothing recovers, or if the
// runtime fails. Without it the exit status is 2, which says that something failed in part. cli.Run
// recovers panics of its own goroutine. Those of all others, of libraries too, can only be
// recovered where each goroutine is started. Unless GOTRACEBACK asks for a core, none is written,
// since it would hold rows and passwords.
func abortOnPanic() {
	const abort = "crash"
	if os.Getenv("GOTRACEBACK") == abort {
		return // the runtime does so itself
	}
	var core syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_CORE, &core) == nil {
		core.Cur = 0
		_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &core) // a limit can always be lowered
	}
	debug.SetTraceback(abort)
}
