// Measures the dashboard of a large run. Usage: node e2e/scale.mjs SPADE RUN. Prints one line a figure and ends with 1
// if one of them is not what is asked for. What it measures depends on the machine and on what else that does, so it is
// no test; beside what the clock says stands the processor time of the page's main thread, or of the server for each of
// its answers, for machines that are busy.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { serve, stop } from './spade.mjs'
import { Visitor } from './visit.mjs'

const [spade, dir] = process.argv.slice(2).map((p) => resolve(p))
const temp = mkdtempSync(join(tmpdir(), 'spade-scale-'))

function figure(name, value, unit, most, processor) {
  const holds = !most || value <= most
  if (!holds) process.exitCode = 1
  const busy = processor === undefined ? '' : `${processor.toFixed(0).padStart(6)} ms of processor`
  console.log(`${name.padEnd(44)} ${value.toFixed(value < 10 ? 1 : 0).padStart(6)} ${unit.padEnd(3)}${busy}${most ? `   at most ${most}: ${holds ? 'yes' : 'NO'}` : ''}`)
}
const quantile = (values, q) => values.sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(q * values.length))]

/** In the page: how long it takes from an event until the frame that shows its effect has been painted. */
function painted(act) {
  return new Promise((done) => {
    const began = performance.now()
    act()
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)))
  })
}

/** How often each kind of answer is asked for. */
const asks = 40

/** The milliseconds that the server has worked so far. */
function served(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return 10 * (Number(fields[11]) + Number(fields[12]))
}

/** What people do on the pages, in their own words: the address, what must be there, and the acts to be timed. */
const interactions = [
  ['#/run', '.plot canvas', {
    'open the win rates as a table': () => document.querySelector('[aria-label="Win rate as a table"]').click(),
    'and back': () => document.querySelector('[aria-label="Win rate as a table"]').click(),
    'zoom a chart': () => document.querySelector('.plot').dispatchEvent(new KeyboardEvent('keydown', { key: '+', bubbles: true })),
  }],
  ['#/curriculum', '.card', {
    'filter the curriculum by skill': () => pick('.filters select', 1),
    'filter it by standing': () => pick('.filters label:nth-child(2) select', 1),
    'find a word': () => enter('.filters input', 'ba'),
    'order it by regret': () => pick('.filters label:nth-child(3) select', 2),
    'show it as a table': () => [...document.querySelectorAll('.filters button')].at(-1).click(),
    'clear the filters': () => [...document.querySelectorAll('.filters button')].find((b) => b.textContent === 'Clear filters').click(),
    'turn the page': () => [...document.querySelectorAll('nav button')].find((b) => b.textContent === 'Next').click(),
  }],
  ['#/map', 'canvas', {
    'go back in time': () => enter('input[type=range]', document.querySelector('input[type=range]').max / 2),
    'and to the end': () => enter('input[type=range]', document.querySelector('input[type=range]').max),
    'colour the map by regret': () => pick('.controls select', 1),
    'point at it': () => document.querySelector('canvas').dispatchEvent(new PointerEvent('pointermove', { clientX: 500, clientY: 500, bubbles: true })),
    'zoom it': () => document.querySelector('canvas').dispatchEvent(new WheelEvent('wheel', { deltaY: -1, cancelable: true })),
    'show one skill': () => pick('.controls label:nth-child(5) select', 1),
    'list it': () => [...document.querySelectorAll('.controls button')].at(-1).click(),
  }],
  ['#/corpus', 'tbody tr', { 'order the corpus': () => pick('main form select', 2), 'find a passage': () => enter('main form input', 'walk') }],
  ['#/jail', '.bars', { 'show one reason': () => document.querySelectorAll('.bars a')[1].click() }],
]
const helpers = `
  globalThis.painted = ${painted}
  globalThis.pick = (where, i) => { const e = document.querySelector(where); e.selectedIndex = i; e.dispatchEvent(new Event('change', { bubbles: true })) }
  globalThis.enter = (where, text) => { const e = document.querySelector(where); e.value = text; e.dispatchEvent(new Event('input', { bubbles: true })) }`

let visitor
try {
  const { base, pid } = await serve(spade, 'ui', dir)
  visitor = await Visitor.start(join(temp, 'profile'))
  const page = await visitor.page()
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  /** The milliseconds that the main thread of the page has worked so far. */
  const worked = async () => 1000 * (await devtools.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value
  for (const name of ['first useful paint, the run never opened before', 'first useful paint, again']) {
    await page.goto('about:blank')
    const before = await worked()
    await page.goto(base, { waitUntil: 'commit' })
    const paint = await page.waitForFunction(() => document.querySelector('.answers .verdict') && document.querySelector('.plot canvas') && performance.now())
    figure(name, await paint.jsonValue(), 'ms', 2000, (await worked()) - before)
  }

  const times = []
  for (const [hash, ready, acts] of interactions) {
    await page.goto('about:blank')
    await page.goto(base + hash)
    await page.locator(ready).first().waitFor()
    await page.getByText(/^(Opening|placing|opening) /).waitFor({ state: 'detached' })
    await page.evaluate(helpers)
    for (const [name, act] of Object.entries(acts)) {
      const before = await worked()
      const took = await page.evaluate(`painted(${act})`)
      times.push(took)
      figure(name, took, 'ms', 100, (await worked()) - before)
    }
    if (hash === '#/map') figure('frames a second of a replay', await frames(page), '/s')
  }
  figure('an interaction, median', quantile(times, 0.5), 'ms')

  const run = `${base}api/v1/runs/${(await (await fetch(base + 'api/v1/runs')).json())[0].name}`
  const e = await (await fetch(run + '/environments')).json()
  console.log(`${e.id.length} environments, ${(await (await fetch(run)).json()).episodes} episodes`)
  const { designs } = await (await fetch(run + '/jail')).json()
  const all = []
  for (const [name, path] of Object.entries({
    'the run': () => '', cycles: () => '/cycles', environments: () => '/environments', map: () => '/map', passages: () => '/passages', jail: () => '/jail', memory: () => '/memory',
    'an environment': (k) => '/environments/' + e.id[(k * 7919) % e.id.length],
    'an episode': (k) => { const i = (k * 7919) % e.id.length; return `/episodes/${e.cycle[i]}/${e.id[i]}/0?tokens=1` },
    'a design': (k) => { const i = (k * 31) % designs.cycle.length; return `/designs/${designs.cycle[i]}/${designs.slot[i]}` },
    'a passage': (k) => '/passages/' + e.passage[(k * 7919) % e.id.length],
  })) {
    const took = []
    const before = served(pid)
    for (let k = 0; k < asks; k++) {
      const from = performance.now()
      const answer = await fetch(run + path(k))
      await answer.arrayBuffer()
      if (!answer.ok) throw new Error(`${path(k)} answered ${answer.status}`)
      took.push(performance.now() - from)
    }
    all.push(...took)
    figure(`answer: ${name}, p95`, quantile(took, 0.95), 'ms', 100, (served(pid) - before) / asks)
  }
  figure('answers, p95', quantile(all, 0.95), 'ms', 100)
  const memory = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  figure('most memory of the server', Number(memory[1]) / 1024, 'MiB', 300)
  if (visitor.problems.length) throw new Error(visitor.problems.join('\n'))
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await visitor?.close()
  await stop()
  rmSync(temp, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 }) // the browser may still be at it
}

/** How often a replay of the map is painted. */
async function frames(page) {
  await page.getByRole('button', { name: 'Table' }).click()
  await page.getByRole('combobox', { name: 'Skill' }).selectOption('')
  await page.getByRole('button', { name: 'Replay the run' }).click()
  return page.evaluate(() => new Promise((done) => {
    let n = 0
    const began = performance.now()
    const count = () => (performance.now() - began < 3000 ? (n++, requestAnimationFrame(count)) : done(n / 3))
    requestAnimationFrame(count)
  }))
}
