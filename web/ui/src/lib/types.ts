// The answers of the API, as docs/api.md describes them.

export interface RunItem {
  name: string
  dir: string
  arm: string
  committed: number
  cycles: number
  writing: boolean
}

export interface About {
  arm: string
  policy: string
  corpus: string
  isolation: string
  seed: number
  cycles: number
  plays: number
  hinted_plays: number
  plateau_weight: number
  config: string
}

export interface Summary {
  held_out_before: number
  held_out_after: number
  episodes: number
  families: { name: string; episodes: number; win_rate: number }[]
}

export interface Phase {
  cycle: number
  name: string
  done: number
  total: number
}

export interface Overview {
  name: string
  dir: string
  about: About
  summary: Summary | null
  committed: number
  writing: boolean
  environments: number
  designs: number
  refused: number
  faults: number
  episodes: number
  passages: number
  phase: Phase | null
  can_play: boolean
  version: number
}

type Maybe = number | null

export interface Cycles {
  cycle: number[]
  designed: number[]
  admitted: number[]
  episodes: number[]
  faults: number[]
  win_rate: number[]
  hinted_win_rate: number[]
  regret: number[]
  designer_reward: number[]
  anchor_part: number[]
  regret_part: number[]
  in_band: number[]
  signal: number[]
  vendi: number[]
  turns: number[]
  sampled_tokens: number[]
  trained_tokens: number[]
  held_out: Maybe[]
  seconds: Maybe[]
  refused: Record<string, number[]>
  train: Record<string, Maybe[]>
  skills: Record<string, { environments: number[]; win_rate: Maybe[]; hinted_win_rate: Maybe[]; regret: Maybe[] }>
}

export interface EnvironmentColumns {
  id: string[]
  class: string[]
  kind: string[]
  skill: string[]
  hint: string[]
  passage: string[]
  cycle: number[]
  slot: number[]
  turns: number[]
  plays: number[]
  hinted_plays: number[]
  win_rate: number[]
  hinted_win_rate: number[]
  regret: number[]
  raw: number[]
  measured: number[]
  measurements: number[]
  names: (string[] | null)[]
}

/** One environment as lists show it: a row of EnvironmentColumns. */
export interface Row {
  number: number
  id: string
  title: string
  kind: string
  skill: string
  hint: string
  passage: string
  cycle: number
  slot: number
  turns: number
  plays: number
  hintedPlays: number
  winRate: number
  hintedWinRate: number
  regret: number
  raw: number
  measured: number
  measurements: number
  names: string[]
}

export interface Evidence {
  seed?: number
  actions?: string[]
  first?: string[]
  second?: string[]
  literal?: string
  trace?: string
}

export interface Verdict {
  admit: boolean
  stage: string
  reasons: { code: string; detail: string; evidence: Evidence }[] | null
  warnings: { code: string; detail: string }[] | null
  packed: boolean
}

export interface Design {
  cycle: number
  slot: number
  made: number
  skill: string
  passage_id: string
  env_id: string
  examples: string[] | null
  prompt: { speaker: string; name?: string; content: string }[] | null
  reply: string
  first: Verdict
  repairs: { fault: string; reply: string }[] | null
  verdict: Verdict
  hint_verdict: Verdict | null
  raw: number
  reward: number
  advantage: number
  masked: boolean
  tokens: number
}

export interface Play {
  cycle: number
  arm: string
  index: number
  seed: string
  return: number
  turns: number
  stop: string
  outcome: string
}

export interface Score {
  cycle: number
  plays: number
  hinted_plays: number
  mean: number
  hinted_mean: number
  win_rate: number
  hinted_win_rate: number
  regret: number
  anchor: number
  raw: number
  reward: number
  replay: boolean
}

export interface Passage {
  id: string
  text: string
  source: string
  meta?: Record<string, unknown>
}

export interface EnvironmentDetail {
  environment: { id: string; source: string; class: string; kind: string; skill: string; hint?: string; passage_id?: string; cycle: number; slot: number }
  entered: number
  turns: number
  names: string[] | null
  history: Score[]
  plays: Play[]
  design: Design | null
  passage: Passage | null
  parents: string[]
  children: string[]
  previous: string
  next: string
}

export interface Tokens {
  id: number[]
  text: string[] | null
  log_prob: number[]
  sampled: boolean[]
}

export interface Turn {
  observation: string
  reply: string
  action: string
  reward: number
  version: number
  sampled: number
  tokens?: Tokens
}

export interface Episode {
  arm: string
  seed: string
  hint: string
  turns: Turn[]
  final: string
  stop: string
  outcome: string
  return: number
  won: boolean
}

export interface Pair {
  cycle: number
  env_id: string
  index: number
  episodes: Episode[]
}

export interface Designs {
  cycle: number[]
  slot: number[]
  skill: string[]
  passage: string[]
  env_id: string[]
  admit: boolean[]
  stage: string[]
  codes: string[][]
  detail: string[]
  hint_refused: string[]
  raw: number[]
}

export interface Jail {
  designs: Designs
  faults: { cycle: number[]; env_id: string[]; arm: string[]; index: number[]; outcome: string[] }
}

export interface CorpusColumns {
  id: string[]
  source: string[]
  skill: string[]
  topic: string[]
  cycle: number[]
  draws: number[]
  designed: number[]
  admitted: number[]
  regret: Maybe[]
  win_rate: Maybe[]
  reward: number[]
}

export interface PassageDetail {
  passage: Passage
  designs: Designs
}

export interface Remembered {
  env_id: string
  skill: string
  hint: string
  class: string
  win_rate: number
  hinted_win_rate: number
  regret: number
  plays: number
  cycle: number
  measured: number
}

export interface Memory {
  environments: Remembered[]
  shown: string[]
}

export interface MapPoints {
  ready: boolean
  x: number[]
  y: number[]
}

export interface GameState {
  observation: string
  turn: number
  budget: number
  reward: number
  status: string
  return: number
  fault?: string
}

export interface Dealt {
  game: string
  seed: string
  kind: string
  hint: string
  state: GameState
}
