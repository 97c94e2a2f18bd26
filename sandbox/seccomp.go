package sandbox

import (
	"encoding/binary"

	"golang.org/x/net/bpf"
)

// The actions of a seccomp program.
const (
	seccompKill  = 0x80000000
	seccompErrno = 0x00050000
	seccompAllow = 0x7fff0000
)

// Offsets into struct seccomp_data. Arguments are 64 bits wide; both architectures are little-endian.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetArgs   = 16
)

const (
	errnoEPERM  = 1
	errnoENOSYS = 38
)

// x32Bit marks system calls of the x32 ABI, which share the architecture number of x86_64.
const x32Bit = 0x40000000

// A policy is an allow-list of system calls; what it does not name fails with EPERM.
type policy struct {
	arch uint32
	// allow are allowed whatever their arguments.
	allow []uint32
	// absent fail with ENOSYS, so that the C library falls back to an older call.
	absent []uint32
	// oneOf are allowed if the low half of an argument is one of some values.
	oneOf []argumentRule
	// zero are allowed if some arguments are 0 in their whole length.
	zero []zeroRule
}

type argumentRule struct {
	number   uint32
	argument int
	values   []uint32
}

type zeroRule struct {
	number    uint32
	arguments []int
}

// assemble returns the policy as a program in the kernel's form. Every block that depends on an argument ends in
// a return on every path, and jumps over blocks are computed, so that no failed condition can fall through with
// an argument in the place of the system call's number.
func (p policy) assemble() ([]byte, error) {
	deny := bpf.RetConstant{Val: seccompErrno | errnoEPERM}
	kill := bpf.RetConstant{Val: seccompKill}
	allow := bpf.RetConstant{Val: seccompAllow}

	program := []bpf.Instruction{bpf.LoadAbsolute{Off: offsetArch, Size: 4}}
	program = append(program, when(bpf.JumpNotEqual, p.arch, kill)...)
	program = append(program, bpf.LoadAbsolute{Off: offsetNumber, Size: 4})
	program = append(program, when(bpf.JumpGreaterOrEqual, x32Bit, kill)...)
	for _, number := range p.allow {
		program = append(program, when(bpf.JumpEqual, number, allow)...)
	}
	for _, number := range p.absent {
		program = append(program, when(bpf.JumpEqual, number, bpf.RetConstant{Val: seccompErrno | errnoENOSYS})...)
	}
	for _, rule := range p.oneOf {
		block := []bpf.Instruction{bpf.LoadAbsolute{Off: uint32(offsetArgs + 8*rule.argument), Size: 4}}
		for _, value := range rule.values {
			block = append(block, when(bpf.JumpEqual, value, allow)...)
		}
		program = append(program, when(bpf.JumpEqual, rule.number, append(block, deny)...)...)
	}
	for _, rule := range p.zero {
		var block []bpf.Instruction
		for _, argument := range rule.arguments {
			low := uint32(offsetArgs + 8*argument)
			for _, half := range []uint32{low, low + 4} {
				block = append(block, bpf.LoadAbsolute{Off: half, Size: 4})
				block = append(block, when(bpf.JumpNotEqual, 0, deny)...)
			}
		}
		program = append(program, when(bpf.JumpEqual, rule.number, append(block, allow)...)...)
	}
	program = append(program, deny)

	raw, err := bpf.Assemble(program)
	if err != nil {
		return nil, err
	}
	var code []byte
	for _, r := range raw {
		code = binary.LittleEndian.AppendUint16(code, r.Op)
		code = append(code, r.Jt, r.Jf)
		code = binary.LittleEndian.AppendUint32(code, r.K)
	}
	return code, nil
}

// when returns instructions that run block if the accumulator compares to value, and skip it if not.
func when(condition bpf.JumpTest, value uint32, block ...bpf.Instruction) []bpf.Instruction {
	jump := bpf.JumpIf{Cond: condition, Val: value, SkipFalse: uint8(len(block))}
	return append([]bpf.Instruction{jump}, block...)
}
