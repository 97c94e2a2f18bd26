package sandbox

import (
	"encoding/binary"
	"slices"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// call is what a seccomp program sees of a system call.
type call struct {
	arch, number uint32
	arguments    [6]uint64
}

// evaluate runs a program in the kernel's form as the kernel would.
func evaluate(t *testing.T, code []bpf.Instruction, c call) uint32 {
	var a uint32
	for pc := 0; pc < len(code); pc++ {
		switch x := code[pc].(type) {
		case bpf.LoadAbsolute:
			switch {
			case x.Off == offsetNumber:
				a = c.number
			case x.Off == offsetArch:
				a = c.arch
			default:
				a = uint32(c.arguments[(x.Off-offsetArgs)/8] >> (8 * ((x.Off - offsetArgs) % 8)))
			}
		case bpf.JumpIf:
			var yes bool
			switch x.Cond {
			case bpf.JumpEqual:
				yes = a == x.Val
			case bpf.JumpNotEqual:
				yes = a != x.Val
			case bpf.JumpGreaterOrEqual:
				yes = a >= x.Val
			case bpf.JumpLessThan:
				yes = a < x.Val
			default:
				t.Fatalf("instruction %d: unknown condition %v", pc, x.Cond)
			}
			if yes {
				pc += int(x.SkipTrue)
			} else {
				pc += int(x.SkipFalse)
			}
		case bpf.RetConstant:
			return x.Val
		default:
			t.Fatalf("instruction %d: unknown %v", pc, x)
		}
	}
	t.Fatal("the program ends without a verdict")
	return 0
}

func disassemble(t *testing.T, p policy) []bpf.Instruction {
	t.Helper()
	data, err := p.assemble()
	if err != nil {
		t.Fatal(err)
	}
	var raw []bpf.RawInstruction
	for ; len(data) > 0; data = data[8:] {
		raw = append(raw, bpf.RawInstruction{Op: binary.LittleEndian.Uint16(data), Jt: data[2], Jf: data[3],
			K: binary.LittleEndian.Uint32(data[4:])})
	}
	code, ok := bpf.Disassemble(raw)
	if !ok {
		t.Fatal("the program cannot be read back")
	}
	return code
}

// verdict is what the policy says about a call, from its declaration and not from its program.
func (p policy) verdict(c call) uint32 {
	switch {
	case c.arch != p.arch, c.number >= x32Bit:
		return seccompKill
	case slices.Contains(p.allow, c.number):
		return seccompAllow
	case slices.Contains(p.absent, c.number):
		return seccompErrno | errnoENOSYS
	}
	for _, rule := range p.oneOf {
		if rule.number == c.number && slices.Contains(rule.values, uint32(c.arguments[rule.argument])) {
			return seccompAllow
		}
	}
	for _, rule := range p.zero {
		if rule.number == c.number && !slices.ContainsFunc(rule.arguments, func(n int) bool { return c.arguments[n] != 0 }) {
			return seccompAllow
		}
	}
	return seccompErrno | errnoEPERM
}

// TestPolicies compares program and declaration for every system call, with arguments that are system call numbers,
// rule values and their neighbours: a jump that goes wrong shows as a call that is allowed by mistake.
func TestPolicies(t *testing.T) {
	for name, p := range map[string]policy{
		"instance": instancePolicy(true), "instance without threads": instancePolicy(false), "server": serverPolicy(false), "server in gVisor": serverPolicy(true),
	} {
		t.Run(name, func(t *testing.T) {
			code := disassemble(t, p)
			values := []uint64{1 << 32, 1<<32 | 1, 1 << 63, ^uint64(0)}
			for n := uint64(0); n < 520; n++ {
				values = append(values, n)
			}
			for _, rule := range p.oneOf {
				for _, v := range rule.values {
					values = append(values, uint64(v), uint64(v)+1, uint64(v)-1, 1<<40|uint64(v))
				}
			}
			for number := range uint32(520) {
				for _, v := range values {
					for _, arguments := range [][6]uint64{{v, v, v, v, v, v}, {v}, {0, v}, {0, 0, v}, {0, 0, 0, v}} {
						c := call{arch: p.arch, number: number, arguments: arguments}
						if got, want := evaluate(t, code, c), p.verdict(c); got != want {
							t.Fatalf("call %d with %#x: %#x, want %#x", number, arguments, got, want)
						}
					}
				}
			}
			for _, c := range []call{
				{arch: p.arch ^ 1, number: unix.SYS_READ}, {arch: 0x40000003, number: 1},
				{arch: p.arch, number: x32Bit | unix.SYS_READ}, {arch: p.arch, number: ^uint32(0)},
			} {
				if got := evaluate(t, code, c); got != seccompKill {
					t.Errorf("%+v: %#x", c, got)
				}
			}
		})
	}
}

// TestInstancePolicy names what must never be on the list.
func TestInstancePolicy(t *testing.T) {
	p := instancePolicy(true)
	for _, number := range []uint32{unix.SYS_EXECVE, unix.SYS_EXECVEAT, unix.SYS_PTRACE, unix.SYS_SOCKET,
		unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_SENDMSG, unix.SYS_SENDTO, unix.SYS_RECVMSG, unix.SYS_KILL,
		unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_GETFD, unix.SYS_PIDFD_SEND_SIGNAL,
		unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_PROCESS_VM_READV,
		unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PRCTL, unix.SYS_SECCOMP, unix.SYS_BPF, unix.SYS_KEYCTL,
		unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_SHMGET, unix.SYS_MKNODAT, unix.SYS_SYMLINKAT,
		unix.SYS_LINKAT, unix.SYS_FLOCK, unix.SYS_MINCORE, unix.SYS_STATFS, unix.SYS_SETITIMER, unix.SYS_CHROOT, unix.SYS_CAPSET, unix.SYS_SETUID} {
		if got := p.verdict(call{arch: p.arch, number: number}); got == seccompAllow {
			t.Errorf("call %d is allowed", number)
		}
	}
	for name, c := range map[string]call{
		"a clock of process 1":     {number: unix.SYS_CLOCK_GETTIME, arguments: [6]uint64{^uint64(1<<3 - 3)}},
		"limits of process 1":      {number: unix.SYS_PRLIMIT64, arguments: [6]uint64{1}},
		"setting a limit":          {number: unix.SYS_PRLIMIT64, arguments: [6]uint64{0, 0, 1 << 40}},
		"processors of process 1":  {number: unix.SYS_SCHED_GETAFFINITY, arguments: [6]uint64{1}},
		"waking through a file":    {number: unix.SYS_FUTEX, arguments: [6]uint64{0, 1}},
		"inheriting a priority":    {number: unix.SYS_FUTEX, arguments: [6]uint64{0, 6 | 128}},
		"merging pages":            {number: unix.SYS_MADVISE, arguments: [6]uint64{0, 0, unix.MADV_MERGEABLE}},
		"a whiteout":               {number: unix.SYS_RENAMEAT2, arguments: [6]uint64{0, 0, 0, 0, unix.RENAME_WHITEOUT}},
		"owner of a descriptor":    {number: unix.SYS_FCNTL, arguments: [6]uint64{3, unix.F_SETOWN}},
		"a lock by fcntl":          {number: unix.SYS_FCNTL, arguments: [6]uint64{3, unix.F_SETLK}},
		"typing into the terminal": {number: unix.SYS_IOCTL, arguments: [6]uint64{0, unix.TIOCSTI}},
	} {
		if c.arch = p.arch; p.verdict(c) == seccompAllow {
			t.Errorf("%s is allowed", name)
		}
	}
	for _, flags := range []uint64{0, 17, 0x1200011, unix.CLONE_NEWUSER, 0x3d0f00 | unix.CLONE_NEWNS} {
		if got := p.verdict(call{arch: p.arch, number: unix.SYS_CLONE, arguments: [6]uint64{flags}}); got == seccompAllow {
			t.Errorf("clone with flags %#x is allowed", flags)
		}
	}
}
