package run

// The commands that run directories name, and that advice is given of.
const (
	CommandScan   = "scan"
	CommandLoad   = "load"
	CommandResume = "resume"
	CommandRetry  = "retry"
	CommandStatus = "status"
)
