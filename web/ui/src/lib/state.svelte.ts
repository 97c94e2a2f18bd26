// What is known of the run that is shown, and of the one beside it. Pages read it; it asks the server when a page first
// needs something, and again when a cycle was committed.

import { get, isReport } from './api'
import { route } from './route.svelte'
import type { Cycles, EnvironmentColumns, Overview, Phase, Row, RunItem } from './types'

export class Shown {
  name: string
  overview = $state.raw<Overview | null>(null)
  cycles = $state.raw<Cycles | null>(null)
  rows = $state.raw<Row[] | null>(null)
  byId = $derived(new Map((this.rows ?? []).map((row) => [row.id, row])))
  phase = $state.raw<Phase | null>(null)
  error = $state.raw<Error | null>(null)
  /** Counts refreshes, for pages that ask for more than this. */
  version = $state(0)

  #wantsRows = false
  #stream: EventSource | null = null
  #busy = false
  #again = false
  #later: ReturnType<typeof setTimeout> | undefined

  constructor(name: string) {
    this.name = name
    void this.refresh()
    if (!isReport) this.#listen()
  }

  path(rest = '') {
    return `runs/${encodeURIComponent(this.name)}${rest && '/' + rest}`
  }

  /** The environments of the run; null until they are there. */
  environments(): Row[] | null {
    if (!this.#wantsRows) {
      this.#wantsRows = true
      void this.#loadRows()
    }
    return this.rows
  }

  async refresh() {
    if (this.#busy) {
      this.#again = true
      return
    }
    this.#busy = true
    try {
      const [overview, cycles] = await Promise.all([get<Overview>(this.path()), get<Cycles>(this.path('cycles'))])
      this.overview = overview
      this.cycles = cycles
      this.phase = overview.phase
      if (this.#wantsRows) await this.#loadRows()
      this.version++
      this.error = null
    } catch (error) {
      this.error = error as Error
    } finally {
      this.#busy = false
    }
    if (this.#again) {
      this.#again = false
      void this.refresh()
    }
  }

  async #loadRows() {
    try {
      const list = await get<EnvironmentColumns>(this.path('environments'))
      this.rows = rowsOf(list)
      // The server reads the sources of new environments, for the names of their variables, after it has answered.
      clearTimeout(this.#later)
      if (list.names.includes(null)) this.#later = setTimeout(() => void this.#loadRows(), 1500)
    } catch (error) {
      this.error = error as Error
    }
  }

  #listen() {
    this.#stream = new EventSource('/api/v1/' + this.path('events'))
    this.#stream.addEventListener('state', (event) => {
      const now = JSON.parse((event as MessageEvent<string>).data) as { committed: number; writing: boolean; phase: Phase | null }
      this.phase = now.phase
      const known = this.overview
      if (known && (known.committed !== now.committed || known.writing !== now.writing)) void this.refresh()
    })
  }

  close() {
    this.#stream?.close()
    clearTimeout(this.#later)
  }
}

function rowsOf(c: EnvironmentColumns): Row[] {
  return c.id.map((id, i) => ({
    number: i, id, title: titleOf(c.class[i]), kind: c.kind[i], skill: c.skill[i], hint: c.hint[i], passage: c.passage[i], cycle: c.cycle[i],
    slot: c.slot[i], turns: c.turns[i], plays: c.plays[i], hintedPlays: c.hinted_plays[i], winRate: c.win_rate[i],
    hintedWinRate: c.hinted_win_rate[i], regret: c.regret[i], raw: c.raw[i], measured: c.measured[i], measurements: c.measurements[i],
    names: c.names[i] ?? [],
  }))
}

/** "Rotating maze" for RotatingMazeEnv. */
export function titleOf(name: string): string {
  const words = name.replace(/_?(Env|Environment|Game)$/, '').replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/_/g, ' ').trim()
  return words ? words[0].toUpperCase() + words.slice(1).toLowerCase() : name || 'Unnamed'
}

class App {
  runs = $state.raw<RunItem[]>([])
  shown = $state.raw<Shown | null>(null)
  versus = $state.raw<Shown | null>(null)
  error = $state.raw<Error | null>(null)
  theme = $state(localTheme())

  async start() {
    try {
      this.runs = await get<RunItem[]>('runs')
    } catch (error) {
      this.error = error as Error
    }
  }

  /** Opens the runs that the address names. */
  open(run: string, versus: string) {
    const name = run || this.runs[0]?.name
    if (!name) return
    if (this.shown?.name !== name) {
      this.shown?.close()
      this.shown = new Shown(name)
    }
    if ((this.versus?.name ?? '') !== versus) {
      this.versus?.close()
      this.versus = versus ? new Shown(versus) : null
    }
  }

  toggleTheme() {
    this.theme = this.theme === 'dark' ? 'light' : 'dark'
    try {
      localStorage.setItem('spade-theme', this.theme)
    } catch {
      // A page that may not store anything forgets the choice.
    }
  }
}

function localTheme(): 'light' | 'dark' {
  let stored: string | null = null
  try {
    stored = localStorage.getItem('spade-theme')
  } catch {
    // As above.
  }
  if (stored === 'light' || stored === 'dark') return stored
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

export const app = new App()

/** The name of the run in the address, or of the first one. */
export function currentRun() {
  return route.run || app.runs[0]?.name || ''
}
