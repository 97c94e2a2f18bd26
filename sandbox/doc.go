// Package sandbox runs untrusted Python environments in a jail and speaks the step protocol with them.
//
// It owns the jail (namespaces, a private read-only root, landlock, seccomp, limits), the fork servers that make
// jailed processes quickly, the harness inside them with its class ToolUseBaseEnv, and the strict reading of
// whatever comes out. It does not own what an environment's answers mean: admission and play judge them.
//
// Every program that uses it calls [Init] before anything else, because a jail starts as a re-execution of the
// program's own binary. [Open] starts the first fork server; processes and instances come and go while
// environments are admitted and played; [Sandbox.Close] ends everything that is left.
//
//	our process ── fork server (first process of a jail) ── process (one per source) ── instances (one per episode)
//
// A process is untrusted as a whole: whatever it answers is taken as the environment's own answer, and all
// checking happens on our side. What it does wrong is a [Fault], which is a value. Errors mean that our own
// machinery failed.
//
// # Speed
//
// Requests of one process that are ready at the same time go out in one frame. As many exchanges as there are
// processors are under way at a time, and a process that comes back at once goes on before others, because its memory
// is warm; one that takes longer than 10 ms keeps nobody waiting. Fork servers keep eight processes ready. Package
// bench measures all that.
//
// # Tiers
//
//	full      namespaces, a private root, landlock, seccomp and limits, as root or as any user that may have user namespaces
//	gvisor    everything in gVisor, a kernel of its own, with seccomp and limits inside; needs the program runsc and nothing else
//	degraded  landlock, seccomp and limits only: no thread, no file, not even in /tmp; for machines without namespaces
//
// A jail as a whole is in a control group with limits of its own where this machine lets us make one.
//
// # Limits
//
// The limits that a user may change are those of [Limits], under the key sandbox of a run's config.yaml:
//
//	a request      load 10s, reset 5s, step 2s of wall time; observation 64 KiB of text, and as much of info
//	an episode     episode 60s of wall time for all its steps together
//	a process      cpu 60s of processor time; memory 256 MiB beyond the fresh interpreter
//	an environment environment 5m of processor time for all processes of its episodes together
//
// The others are fixed:
//
//	a process      8 threads (none in a degraded jail), 64 descriptors, 8 MiB of stack, no locked memory, no core
//	its files      4 MiB and 128 files in /tmp, 2 MiB each (none at all in a degraded jail and in gVisor)
//	its output     the first 64 KiB of what it prints
//	an info        nested at most 64 deep
//	a jail         half of the memory that we may use, 9 threads for every process that there may be (control group)
//	a sandbox      32 processes in use for every processor, see Config.MaxProcesses
//	our own memory 128 MiB for all answers under way that are longer than 256 KiB; who sends one waits for room
//
// # Outcomes
//
// Every request ends in one outcome of a closed set. Admission turns it into a reason to refuse the environment;
// an episode that meets one stops for the reason "environment", holds the outcome, and enters no statistics. In a
// packed process those marked * may be a neighbour's doing, so that the episode is first played again alone.
//
//	outcome              what happened                                        reason in admission
//	ok                   it answered within its limits                        none
//	env_error            it raised a Python exception                         contract; syntax or load_error before the first reset; hidden_io for an error of files
//	env_exit *           its process exited, crashed or hung up               contract; load_error before the first reset
//	wall_timeout *       it did not answer in time, and mostly waited         hang
//	cpu_limit *          it did not answer in time, and computed; its         hang; where what it had answered before used
//	                     processor time is used up; or it computed for more   up most of that time, the warning slow, and
//	                     than 500ms while nothing was asked of it             contract before enough was seen to judge it
//	memory_limit *       it raised MemoryError, or the system ended it        memory
//	output_limit         an observation, info or frame is too large           output_too_large
//	invalid_reward       the reward is not a finite number                    nan_reward; contract if it is no number at all
//	invalid_observation  what it returned has the wrong shape or type         contract; load_error before the first reset
//	protocol_violation * it spoke out of turn or out of form                  hidden_io
//	sandbox_error *      our own machinery failed                             none: it is tried again
//
// A jail that ends takes all its processes along, and who did it cannot be seen. Every source that was in it gets a
// jail of its own; one whose own jail ends too has env_exit from then on, and one that its own jail outlives returns to
// the others.
//
// # What packing admits
//
// Instances that share a process share its interpreter, its memory and its end: one that wants to can change what
// its neighbours answer. Only instances of one source ever share a process, and only of a source whose interleaved
// instances admission has seen to give the transcripts of separate ones. A process can never answer for another
// process.
//
// # What is not hidden
//
// Environments can read the clocks, the version of the kernel, the number of processors and our own harness, and
// can measure how busy the machine is. They see where Python and its packages are on the host. Without namespaces they can also ask whether a path exists on the host and
// which number a process has, but not read, list or change anything beyond Python itself. A fault of the kernel
// would get them out, unless it is gVisor's that answers them. There it is not known whether a process that is late
// computes or waits.
package sandbox
