package sandbox

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// TestRefusals: what a person is told to do about a machine that refuses a namespace, by how it refuses.
func TestRefusals(t *testing.T) {
	for name, test := range map[string]struct {
		refusal
		want string
	}{
		"no namespaces left":           {refusal{layer: layerUser, errno: unix.ENOSPC, limit: "0"}, "user.max_user_namespaces"},
		"Docker's seccomp profile":     {refusal{layer: layerUser, errno: unix.EPERM, filtered: true, limit: "9"}, "--security-opt seccomp=unconfined"},
		"Docker's AppArmor profile":    {refusal{layer: layerMount, errno: unix.EACCES, profile: "docker-default (enforce)"}, "--security-opt apparmor=unconfined"},
		"Ubuntu, inside the namespace": {refusal{layer: layerMount, errno: unix.EACCES, profile: "unprivileged_userns (enforce)", program: "/opt/spade"}, "profile spade /opt/spade flags=(unconfined) { userns, }"},
		"Ubuntu, at once":              {refusal{layer: layerUser, errno: unix.EACCES, restricted: true}, "/etc/apparmor.d/spade"},
		"Debian's switch":              {refusal{layer: layerUser, errno: unix.EPERM, switchedOff: true}, "kernel.unprivileged_userns_clone=1"},
		"an old kernel":                {refusal{layer: layerUser, errno: unix.EINVAL}, "CONFIG_USER_NS"},
		"anything else":                {refusal{layer: layerMount, errno: unix.EIO}, "docker run"},
	} {
		if got := test.fix(); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// refusals are ways to have this machine really refuse, done by a helper to itself.
var refusals = map[string]func() error{
	"limit":  func() error { return os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0) },
	"filter": denyNamespaces,
}

// refusalVariable makes the test binary have the machine refuse as it says, and print a diagnosis.
const refusalVariable = "SPADE_TEST_REFUSAL"

func init() { helpers = append(helpers, runRefused) }

func runRefused() {
	refuse := refusals[os.Getenv(refusalVariable)]
	if refuse == nil {
		return
	}
	if err := refuse(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	status, err := Diagnose(context.Background(), Config{})
	if err == nil {
		fmt.Println("nothing was refused")
		os.Exit(1)
	}
	os.Stdout.Write(mustJSON(status))
	os.Exit(0)
}

// TestRefused has the machine refuse as other machines do, and asks for a diagnosis.
func TestRefused(t *testing.T) {
	for name, want := range map[string]string{"limit": "user.max_user_namespaces", "filter": "seccomp=unconfined"} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("/proc/self/exe")
			cmd.Env = append(os.Environ(), refusalVariable+"="+name)
			cmd.SysProcAttr = &syscall.SysProcAttr{
				Cloneflags:  syscall.CLONE_NEWUSER,
				UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
			}
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			var status Status
			if err := json.Unmarshal(out, &status); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			last := status.Layers[len(status.Layers)-1]
			if status.Tier != None || last.On || last.Name != layerUser || last.Why == "" || !strings.Contains(last.Fix, want) {
				t.Errorf("diagnosed %+v", status)
			}
		})
	}
}

// denyNamespaces puts this process under a filter like that of a container: clone with a new user namespace fails.
func denyNamespaces() error {
	deny := bpf.RetConstant{Val: seccompErrno | uint32(unix.EPERM)}
	program := []bpf.Instruction{bpf.LoadAbsolute{Off: offsetNumber, Size: 4}}
	program = append(program, when(bpf.JumpEqual, unix.SYS_UNSHARE, deny)...)
	block := []bpf.Instruction{bpf.LoadAbsolute{Off: offsetArgs, Size: 4}}
	block = append(block, bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: unix.CLONE_NEWUSER, SkipFalse: 1}, deny, bpf.RetConstant{Val: seccompAllow})
	program = append(program, when(bpf.JumpEqual, unix.SYS_CLONE, block...)...)
	program = append(program, bpf.RetConstant{Val: seccompAllow})
	raw, err := bpf.Assemble(program)
	if err != nil {
		return err
	}
	var code []byte
	for _, r := range raw {
		code = append(binary.LittleEndian.AppendUint16(code, r.Op), r.Jt, r.Jf)
		code = binary.LittleEndian.AppendUint32(code, r.K)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	filter := unix.SockFprog{Len: uint16(len(raw)), Filter: (*unix.SockFilter)(unsafe.Pointer(&code[0]))}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&filter)))
	if errno != 0 {
		return fmt.Errorf("installing a filter: %w", errno)
	}
	return nil
}
