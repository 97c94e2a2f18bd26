// The questions that a run is opened with, answered from its numbers.

import { count, fixed, last, mean, number, percent, points } from './format'
import type { Cycles, Overview, Row } from './types'
import { reasons, refusalWord } from './words'

export interface Answer {
  question: string
  verdict: string
  kind: 'good' | 'warn' | 'bad' | ''
  text: string
}

/** The win rates on the held-out suite, with the cycles after which they were measured. */
export function heldOut(overview: Overview, cycles: Cycles): { cycle: number; rate: number }[] {
  const list = cycles.cycle.flatMap((cycle, i) => (cycles.held_out[i] == null ? [] : [{ cycle, rate: cycles.held_out[i]! }]))
  const end = overview.summary
  if (end && last(list)?.cycle !== overview.committed) list.push({ cycle: overview.committed, rate: end.held_out_after })
  return list
}

export function learning(overview: Overview, cycles: Cycles): Answer {
  const question = 'Is it learning?'
  const measured = heldOut(overview, cycles)
  if (measured.length > 1) {
    const before = measured[0].rate
    const now = last(measured)!.rate
    const gain = now - before
    const kind = gain > 0.02 ? 'good' : gain < -0.02 ? 'bad' : 'warn'
    return {
      question, kind, verdict: gain > 0.02 ? `Yes, ${points(gain)}` : gain < -0.02 ? `It lost ${points(gain)}` : 'Not measurably',
      text: `Win rate on held-out environments that nothing trains on: ${percent(before, 1)} before, ${percent(now, 1)} ${overview.writing ? `after cycle ${last(measured)!.cycle}` : 'now'}.`,
    }
  }
  const played = cycles.cycle.map((c, i) => i).filter((i) => cycles.cycle[i] > 0)
  if (played.length < 4) return { question, verdict: 'Too early to say', kind: '', text: 'The held-out suite is measured before the first cycle and after the last one.' }
  const k = Math.max(2, Math.floor(played.length / 5))
  const then = played.slice(0, k)
  const now = played.slice(-k)
  const longer = mean(now.map((i) => cycles.turns[i])) - mean(then.map((i) => cycles.turns[i]))
  const easier = mean(now.map((i) => cycles.win_rate[i])) - mean(then.map((i) => cycles.win_rate[i]))
  const up = longer > 0.3 || easier > 0.05
  return {
    question, kind: up ? 'good' : '', verdict: up ? 'It seems so' : 'No clear sign yet',
    text: `Episodes last ${fixed(mean(now.map((i) => cycles.turns[i])), 1)} turns (${fixed(mean(then.map((i) => cycles.turns[i])), 1)} at first) at a win rate of ${percent(mean(now.map((i) => cycles.win_rate[i])))} (${percent(mean(then.map((i) => cycles.win_rate[i])))}). The held-out measurement at the end decides.`,
  }
}

/** The first cycle after which 60 environments had entered: until then diversity falls by itself. Infinity before that. */
export function settledAt(cycles: Cycles): number {
  let entered = 0
  const i = cycles.admitted.findIndex((n) => (entered += n) >= 60)
  return i < 0 ? Infinity : cycles.cycle[i]
}

export function collapsing(cycles: Cycles): Answer {
  const question = 'Is it collapsing?'
  const settled = cycles.vendi.filter((v, i) => cycles.cycle[i] >= settledAt(cycles) && v > 0)
  if (settled.length < 4) return { question, verdict: 'Too early to say', kind: '', text: 'Diversity is measured over the last 60 environments, once there are as many.' }
  const k = Math.max(1, Math.floor(settled.length / 5))
  const then = mean(settled.slice(0, k))
  const now = mean(settled.slice(-k))
  const kept = now / then
  const kind = kept < 0.5 || now < 0.05 ? 'bad' : kept < 0.75 ? 'warn' : 'good'
  return {
    question, kind, verdict: kind === 'good' ? 'No' : kind === 'warn' ? 'It narrows' : 'Yes',
    text: `The last 60 environments hold the variety of ${fixed(60 * now, 1)} entirely different ones. It was ${fixed(60 * then, 1)} when the first 60 were there, so ${percent(kept)} of it is kept.`,
  }
}

/** The environment that separated the arms most while it was neither mastered nor out of reach. */
export function mostTeaching(rows: Row[]): Row | null {
  let best: Row | null = null
  for (const row of rows) {
    if (row.plays && row.hintedPlays && row.winRate >= 0.15 && row.winRate <= 0.85 && (!best || row.regret > best.regret)) best = row
  }
  return best
}

export function refusing(overview: Overview, cycles: Cycles): Answer & { code: string } {
  const question = 'What was refused?'
  const totals = Object.entries(cycles.refused).map(([code, list]) => ({ code, n: list.reduce((a, b) => a + b, 0) })).sort((a, b) => b.n - a.n)
  const refused = totals.reduce((a, t) => a + t.n, 0)
  if (!refused) return { question, verdict: 'Nothing', kind: 'good', code: '', text: `All ${number(overview.designs)} designs were admitted.` }
  const share = refused / Math.max(1, overview.designs)
  const top = totals[0]
  return {
    question, code: top.code, kind: share > 0.5 ? 'bad' : share > 0.2 ? 'warn' : 'good',
    verdict: `${number(refused)} of ${count(overview.designs, 'design')}`,
    text: `Most often for “${refusalWord(top.code)}” (${number(top.n)}): ${reasons[top.code] ?? ''}`,
  }
}
