// Which environment a person is offered next: the loop's own thermostat, for people. For each skill a person has a level
// between 0 and 1 that rises with a blind win and falls with a loss, so that it settles where they win about half of the
// time. Levels are matched with how seldom the model wins an environment, as a rank within the skill. All of it stays in
// this browser.

import type { Row } from './types'

export interface SkillRecord {
  level: number
  plays: number
  wins: number
}

export interface Game {
  env: string
  skill: string
  won: boolean
  blind: number
  hinted: number | null
}

export interface Person {
  skills: Record<string, SkillRecord>
  games: Game[]
}

const key = 'spade-person'

export function load(): Person {
  try {
    const person = JSON.parse(localStorage.getItem(key) ?? '') as Person
    if (person.skills && Array.isArray(person.games)) return person
  } catch {
    // Nothing is kept here yet, or nothing may be.
  }
  return { skills: {}, games: [] }
}

export function save(person: Person) {
  try {
    localStorage.setItem(key, JSON.stringify(person))
  } catch {
    // A page that may not store anything forgets.
  }
}

/** Takes in a finished pair of plays: what was returned blind and, where the hint was tried too, with it. */
export function record(person: Person, env: string, skill: string, blind: number, hinted: number | null): Person {
  const was = person.skills[skill] ?? { level: 0.3, plays: 0, wins: 0 }
  const won = blind >= 1
  const step = Math.max(0.06, 0.25 / (1 + was.plays))
  const skills = { ...person.skills, [skill]: { level: Math.max(0, Math.min(1, was.level + (won ? step : -step))), plays: was.plays + 1, wins: was.wins + (won ? 1 : 0) } }
  return { skills, games: [...person.games, { env, skill, won, blind, hinted }].slice(-200) }
}

/** The next environment, never one of the last 50 played; null if there is none to offer. */
export function next(person: Person, rows: Row[]): Row | null {
  const recent = new Set(person.games.slice(-50).map((g) => g.env))
  const bySkill = new Map<string, Row[]>()
  for (const row of rows) if (row.plays) bySkill.set(row.skill, [...(bySkill.get(row.skill) ?? []), row])
  let best: Row | null = null
  let bestScore = Infinity
  for (const [skill, list] of bySkill) {
    const known = person.skills[skill] ?? { level: 0.3, plays: 0, wins: 0 }
    // A skill that is won half of the time teaches most; one that was played little says least about that.
    const rate = (known.wins + 1) / (known.plays + 2)
    const skillScore = Math.abs(rate - 0.5) + 0.15 * Math.log2(1 + known.plays)
    const ranked = list.slice().sort((a, b) => b.winRate - a.winRate || a.turns - b.turns || a.number - b.number)
    ranked.forEach((row, i) => {
      if (recent.has(row.id)) return
      const difficulty = ranked.length > 1 ? i / (ranked.length - 1) : 0.5
      const score = skillScore + 2 * Math.abs(difficulty - known.level) - 0.1 * Math.max(0, row.regret)
      if (score < bestScore) { bestScore = score; best = row }
    })
  }
  return best
}
