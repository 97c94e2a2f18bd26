// What the words of a run mean, in one sentence each.

export const reasons: Record<string, string> = {
  no_source: 'The reply held no Python source, so there was nothing to judge.',
  no_reply: 'The model did not reply, so there was nothing to judge.',
  syntax: 'The source is not valid Python.',
  load_error: 'The source could not be loaded: it raised an error, or holds no environment class.',
  forbidden_import: 'It imports something that environments may not use.',
  contract: 'It does not keep the contract of reset and step: wrong shapes or types, or an exception.',
  nondeterministic: 'Equal seed and actions gave different episodes, so its two arms could not be compared.',
  unseeded_global_state: 'It draws from a random generator that the seed does not set.',
  hang: 'It did not answer within its limits of time. This costs its designer −0.5.',
  memory: 'It used more memory than an environment may.',
  output_too_large: 'An observation was too large.',
  reward_range: 'A reward lies outside [−1, 1].',
  nan_reward: 'A reward is not a finite number.',
  step_after_done: 'It goes on after the end of an episode.',
  hidden_io: 'It tried to reach files, the network, or the protocol of the jail.',
  answer_leak: 'The observation contains the action that wins.',
  hint_leak: 'The hint names a value that depends on the seed, or quotes the check. It refuses the hint, not the environment.',
  trivial: 'It is won by nearly anything.',
  unsolvable: 'No way to win it was found.',
  verifier_wrong: 'Its own solution does not win.',
  exploit_empty_action: 'It is won by doing nothing.',
  exploit_echo: 'It is won by repeating what it says.',
  exploit_random: 'It is won too often by random actions.',
  off_topic: 'It has too little to do with its passage: too few words of the passage are in it.',
  duplicate: 'It is a near copy of an environment that is already there.',
}

export const outcomes: Record<string, string> = {
  env_error: 'It raised a Python exception.',
  env_exit: 'Its process exited or crashed.',
  wall_timeout: 'It did not answer in time, and mostly waited.',
  cpu_limit: 'It did not answer in time, and computed.',
  memory_limit: 'It ran out of the memory that it is allowed.',
  output_limit: 'An observation was too large.',
  invalid_reward: 'A reward was not a finite number.',
  invalid_observation: 'It returned something of the wrong shape or type.',
  protocol_violation: 'Its process spoke out of turn.',
  sandbox_error: 'Our own machinery failed.',
}

export const stops: Record<string, string> = {
  terminated: 'the environment ended it',
  truncated: 'the turns ran out',
  context: 'the model’s context was full',
  environment: 'the environment misbehaved',
}

export const warnings: Record<string, string> = {
  no_witness: 'No winning play was found or offered; play decides whether it can be won.',
}

export const armNames: Record<string, string> = { unhinted: 'blind', hinted: 'with hint', placebo: 'placebo hint' }
export const arm = (name: string) => armNames[name] ?? name

export const refusalWord = (code: string) => code.replace(/_/g, ' ')

/** What the win rate of an environment makes of it. */
export function standing(winRate: number, plays: number): { word: string; kind: 'teach' | 'easy' | 'hard' | 'none' } {
  if (!plays) return { word: 'not played', kind: 'none' }
  if (winRate > 0.85) return { word: 'mastered', kind: 'easy' }
  if (winRate < 0.15) return { word: 'out of reach', kind: 'hard' }
  return { word: 'teachable', kind: 'teach' }
}
