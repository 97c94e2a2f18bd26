//go:build amd64 || arm64

package sandbox

import (
	"errors"
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

// A refusal is how a machine refused a namespace: what failed, and what the machine says about itself.
type refusal struct {
	layer string
	errno unix.Errno
	// profile is the AppArmor profile of the process that failed, "" if it was under none.
	profile string
	// filtered says that our own process is under a seccomp filter, as in a container.
	filtered bool
	// restricted is the setting by which Ubuntu's AppArmor restricts user namespaces, switchedOff that by which
	// Debian's kernel forbids them, limit the number of them that is allowed.
	restricted, switchedOff bool
	limit                   string
	// program is our own binary.
	program string
}

// namespaceFix says how to make a machine grant what it has refused.
func namespaceFix(e *layerError) string {
	r := refusal{
		layer:       e.layer,
		profile:     e.profile,
		filtered:    filtered(),
		restricted:  setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1",
		switchedOff: setting("/proc/sys/kernel/unprivileged_userns_clone") == "0",
		limit:       setting("/proc/sys/user/max_user_namespaces"),
	}
	errors.As(e.err, &r.errno)
	r.program, _ = os.Executable()
	return r.fix()
}

func (r refusal) fix() string {
	denied := r.errno == unix.EPERM || r.errno == unix.EACCES
	switch {
	case r.errno == unix.ENOSPC || r.errno == unix.EUSERS || r.limit == "0":
		return "This machine allows " + r.limit + " user namespaces. Allow more: sudo sysctl user.max_user_namespaces=10000."
	case denied && (strings.HasPrefix(r.profile, "unprivileged_userns") || r.restricted && r.profile == ""):
		return fmt.Sprintf("Ubuntu's AppArmor lets a program have a user namespace, and then denies it everything in it. "+
			"Give this one a profile: echo 'abi <abi/4.0>, profile spade %s flags=(unconfined) { userns, }' | "+
			"sudo tee /etc/apparmor.d/spade && sudo apparmor_parser -r /etc/apparmor.d/spade. "+
			"Or lift the restriction: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0.", r.program)
	case denied && r.profile != "":
		return fmt.Sprintf("The AppArmor profile %s denies it. Start the container with "+
			"--security-opt seccomp=unconfined --security-opt apparmor=unconfined.", r.profile)
	case denied && r.filtered:
		return "A seccomp profile, such as Docker's default, denies it. Start the container with --security-opt seccomp=unconfined " +
			"(and --security-opt apparmor=unconfined where the host has AppArmor)."
	case denied && r.switchedOff:
		return "Allow user namespaces: sudo sysctl kernel.unprivileged_userns_clone=1."
	case r.errno == unix.EINVAL || r.errno == unix.ENOSYS:
		return "Use a kernel from 5.12 on that is built with CONFIG_USER_NS."
	}
	return nextContainer
}

// filtered reports whether our own process is under a seccomp filter.
func filtered() bool {
	const filterMode = "2"
	for line := range strings.Lines(setting("/proc/thread-self/status") + "\n") {
		if value, found := strings.CutPrefix(line, "Seccomp:"); found {
			return strings.TrimSpace(value) == filterMode
		}
	}
	return false
}

// profile returns the AppArmor profile that this process is under, "" if there is none.
func profile() string {
	label := setting("/proc/thread-self/attr/apparmor/current")
	if label == "unconfined" {
		return ""
	}
	return label
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
