//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// machineLayers looks at the layers that the kernel either has or has not. Namespaces are not among them: whether
// they can be had shows only when a jail is built.
func machineLayers() []Layer {
	layers := []Layer{{Name: layerPlatform, On: true, Why: "Linux"}}
	seccomp := Layer{Name: layerSeccomp, On: true, Why: "environments can make only the system calls that Python needs"}
	if _, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0); err != nil {
		seccomp.On, seccomp.Why = false, "the kernel has no seccomp: "+err.Error()
		seccomp.Fix = "Use a kernel built with CONFIG_SECCOMP_FILTER."
	}
	landlock := Layer{Name: layerLandlock, On: true}
	if version := landlockVersion(); version > 0 {
		landlock.Why = fmt.Sprintf("a second wall around files, sockets and signals (version %d)", version)
	} else {
		landlock.On, landlock.Why = false, "the kernel offers no landlock"
		landlock.Fix = "Use Linux 5.13 or newer with landlock in its lsm= list."
	}
	return append(layers, seccomp, landlock)
}

// landlockVersion returns the kernel's version of landlock, 0 if it has none.
func landlockVersion() int {
	const versionOnly = 1
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, versionOnly)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// namespaceFix guesses from what the machine says about itself why a namespace was refused.
func namespaceFix(e *layerError) string {
	switch {
	case setting("/proc/sys/user/max_user_namespaces") == "0":
		return "Allow user namespaces: sysctl user.max_user_namespaces=10000."
	case setting("/proc/sys/kernel/unprivileged_userns_clone") == "0":
		return "Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1."
	case setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1":
		return "Allow user namespaces: sysctl kernel.apparmor_restrict_unprivileged_userns=0, or give this program an AppArmor profile with userns."
	case exists("/.dockerenv") || exists("/run/.containerenv"):
		return "Start the container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined."
	}
	return nextContainer
}

func setting(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
