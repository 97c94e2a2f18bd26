// Walks the dashboard in a real Chromium: a finished run, one that goes on, and a report. Usage:
// node e2e/run.mjs SPADE. It needs chromium, at /usr/bin/chromium or where $CHROMIUM says.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import charts from './charts.mjs'
import curriculum from './curriculum.mjs'
import live from './live.mjs'
import map from './map.mjs'
import play from './play.mjs'
import report from './report.mjs'
import { mostTeaching, run, serve, stop } from './spade.mjs'
import { Visitor } from './visit.mjs'
import walk from './walk.mjs'

const spade = resolve(process.argv[2] ?? './spade')
const temp = mkdtempSync(join(tmpdir(), 'spade-e2e-'))
const runs = join(temp, 'runs')
const config = join(temp, 'small.yaml')
writeFileSync(config, 'plays: 6\nhinted_plays: 3\nheld_out_seeds: 1\n')
const t = { spade, temp, runs, config, name: 'done', dir: join(runs, 'done'), cycles: 4 }

async function step(name, what) {
  const began = Date.now()
  await what(t)
  assert.deepEqual(t.visitor.problems, [], name)
  console.log(`ok  ${name}  (${((Date.now() - began) / 1000).toFixed(1)} s)`)
}

/** A finished run: where it is served, its environments, the most teachable of them, and a design that was refused. */
async function finished() {
  await run(spade, 'run', config, '--dir', t.dir, '--cycles', String(t.cycles))
  t.base = (await serve(spade, 'ui', t.dir)).base
  const api = async (path) => (await fetch(`${t.base}api/v1/runs/${t.name}/${path}`)).json()
  t.environments = await api('environments')
  t.best = mostTeaching(t.environments)
  const { designs } = await api('jail')
  assert.ok(designs.cycle.length > 0, 'the run has no refusal to look at')
  t.refused = { cycle: designs.cycle[0], slot: designs.slot[0] }
}

try {
  t.visitor = await Visitor.start(join(temp, 'profile'))
  await step('a finished run', finished)
  await step('every page, both colours, three widths', walk)
  await step('charts', charts)
  await step('filters, an episode, its tokens', curriculum)
  await step('the replay of the map', map)
  await step('a game, won', play)
  await step('the report', report)
  await step('a live run, two runs', live)
} catch (error) {
  console.error(error, t.visitor?.problems)
  process.exitCode = 1
} finally {
  await t.visitor?.close()
  await stop()
  rmSync(temp, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 }) // the browser may still be at it
}
