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
package sandbox
