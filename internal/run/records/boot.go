package records

import (
	"os"
	"strings"
)

// Boot returns the id of this boot of the machine (proc_sys_kernel(5), random/boot_id). What a
// process wrote survives until the machine goes down, which ends the boot. Boot is empty if the
// system has no such id.
func Boot() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
