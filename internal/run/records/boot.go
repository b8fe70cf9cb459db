package records

import (
	"os"
	"strings"
)

// Boot names the present run of this machine, from its start to the next
// (proc_sys_kernel(5), random/boot_id): what a process wrote is lost only when that
// ends. It is empty where the system does not tell.
func Boot() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
