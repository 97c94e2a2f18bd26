// Walks the dashboard in a real Chromium: a finished run and one that goes on, every page, in both colours and at both
// ends of width. Usage: node e2e/run.mjs SPADE [--screenshots DIR]. It needs chromium on PATH or in $CHROMIUM.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'

const spade = resolve(process.argv[2] ?? './spade')
const shots = process.argv[3] === '--screenshots' ? process.argv[4] : ''
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const temp = mkdtempSync(join(tmpdir(), 'spade-e2e-'))
const started = []

/** Starts spade and returns the address of the dashboard that it prints. */
function dashboard(...args) {
  const child = spawn(spade, [...args, '--addr', '127.0.0.1:0'], { stdio: ['ignore', 'ignore', 'pipe'] })
  started.push(child)
  return new Promise((done, fail) => {
    let said = ''
    createInterface({ input: child.stderr }).on('line', (line) => {
      said += line + '\n'
      const address = /the dashboard is at (http:\S+)/.exec(line)
      if (address) done(address[1])
    })
    child.on('exit', (code) => fail(new Error(`spade ${args.join(' ')} ended with ${code}:\n${said}`)))
  })
}

const errors = []
const problems = []

/** Opens a page of the dashboard and waits until it shows something. */
async function open(page, base, hash, heading) {
  await page.goto(base + '#' + hash)
  await page.locator('main h1', { hasText: heading }).first().waitFor({ state: 'attached' })
  await page.waitForLoadState('networkidle').catch(() => {}) // the stream of a live run never ends
}

async function shot(page, name) {
  if (!shots) return
  mkdirSync(shots, { recursive: true })
  await page.screenshot({ path: join(shots, name + '.png') })
}

/** Notes serious findings about accessibility, contents wider than the window, and errors in the console. */
async function inspect(page, name) {
  await page.evaluate(axe)
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }))
  for (const v of found.violations.filter((v) => ['serious', 'critical'].includes(v.impact))) {
    problems.push(`${name}: ${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')}`)
  }
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  if (wider > 0) problems.push(`${name} is ${wider} px wider than the window`)
  problems.push(...errors.splice(0).map((e) => `${name}: console: ${e}`))
}

async function walk(browser, base, run) {
  const page = await browser.newPage()
  watch(page)
  const environments = await (await fetch(`${base}api/v1/runs/${run}/environments`)).json()
  const best = environments.regret.indexOf(Math.max(...environments.regret))
  const id = environments.id[best]
  const pages = [['/run', `Run ${run}`], ['/curriculum', 'Curriculum'], ['/map', 'Map'], [`/environment/${id}`, ''], [`/episode/${environments.measured[best]}/${id}/0`, 'Episode 1'],
    ['/corpus', 'Corpus'], [`/corpus/${environments.passage[best]}`, 'Passage'], ['/jail', 'Jail'], [`/play/${id}`, 'Play']]
  for (const theme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: theme })
    for (const [width, height] of [[1440, 900], [400, 800], [2560, 1300]]) {
      await page.setViewportSize({ width, height })
      for (const [hash, heading] of pages) {
        await page.goto('about:blank')
        await open(page, base, hash, heading)
        if (hash.startsWith('/play')) await page.getByRole('textbox', { name: 'Your action' }).waitFor()
        if (hash === '/map') await page.getByText('placing').waitFor({ state: 'detached' })
        const name = `${hash.split('/')[1]}-${theme}-${width}`
        await inspect(page, name)
        if (width === 1440 || (theme === 'light' && width === 400)) await shot(page, name)
      }
    }
  }
  await page.close()
  return id
}

function watch(page) {
  page.on('console', (m) => { if (m.type() === 'error' || m.type() === 'warning') errors.push(m.text()) })
  page.on('pageerror', (e) => errors.push(String(e.stack)))
  page.on('request', (r) => { if (!/^(http:\/\/127\.0\.0\.1:|data:|about:|blob:)/.test(r.url())) errors.push('asked a third party: ' + r.url()) })
}

/** Charts zoom with mouse and keyboard and turn into tables. */
async function charts(browser, base) {
  const page = await browser.newPage()
  await page.setViewportSize({ width: 1440, height: 900 })
  watch(page)
  await open(page, base, '/run', 'Run')
  const plot = page.getByRole('img', { name: /^Win rate, in/ })
  await plot.focus()
  await page.keyboard.press('+')
  await page.getByRole('button', { name: 'Reset zoom' }).first().click()
  await page.getByRole('button', { name: 'Reset zoom' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Win rate as a table', exact: true }).click()
  const rows = page.getByRole('region', { name: 'Win rate as a table', exact: true }).locator('tbody tr')
  assert.equal(await rows.count(), 4)
  assert.match(await rows.first().innerText(), /^1\s+\d+ %\s+\d+ %$/)
  await page.close()
}

async function filters(browser, base) {
  const page = await browser.newPage()
  watch(page)
  await open(page, base, '/curriculum', 'Curriculum')
  await page.locator('.card').first().waitFor()
  const all = await page.locator('.card').count()
  const skill = await page.locator('select').first().locator('option').nth(1).innerText()
  await page.getByLabel('Skill').selectOption(skill)
  const few = await page.locator('.card').count()
  assert.ok(few > 0 && few < all, `${few} of ${all} cards for skill ${skill}`)
  await page.getByRole('searchbox').fill('no such environment anywhere')
  await page.getByText('No environment fits these filters.').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  assert.equal(await page.locator('.card').count(), all)
  await page.getByRole('button', { name: 'Table' }).click()
  assert.equal(await page.locator('tbody tr a.none, .table table').first().locator('tbody tr').count(), all)
  await page.locator('.table table a').first().click()
  await page.getByRole('heading', { name: 'Paired plays' }).waitFor()
  await page.locator('table a', { hasText: 'episode 1' }).first().click()
  await page.getByRole('heading', { name: 'with hint' }).waitFor()
  await page.getByRole('button', { name: 'Tokens and log-probabilities' }).click()
  assert.match(await page.locator('.tokens .t.l0, .tokens .t.l1, .tokens .t.l2, .tokens .t.l3').first().getAttribute('title'), /log-probability −?-?\d/)
  await inspect(page, 'tokens')
  await page.close()
}

async function replay(browser, base) {
  const page = await browser.newPage()
  await page.setViewportSize({ width: 1000, height: 800 })
  watch(page)
  await open(page, base, '/map', 'Map')
  await page.getByText('placing').waitFor({ state: 'detached' })
  const label = page.locator('.cyclelabel')
  const last = await label.innerText()
  await page.getByRole('slider').fill('1')
  assert.equal(await label.innerText(), 'cycle 1')
  await page.getByRole('button', { name: 'Replay the run' }).click()
  await page.waitForFunction((want) => document.querySelector('.cyclelabel').textContent === want, last)
  await page.getByRole('button', { name: 'Replay the run' }).waitFor()
  const canvas = page.locator('canvas')
  const box = await canvas.boundingBox()
  // Some point is under one of these places; a click on it opens its environment.
  search: for (let y = 8; y < box.height; y += 8) {
    for (let x = 8; x < box.width; x += 8) {
      await canvas.dispatchEvent('pointermove', { clientX: box.x + x, clientY: box.y + y })
      if (await page.locator('.tip').count()) {
        await page.mouse.click(box.x + x, box.y + y)
        break search
      }
    }
  }
  await page.getByRole('heading', { name: 'Paired plays' }).waitFor()
  await inspect(page, 'environment from the map')
  await page.close()
}

/** Plays blind to a win, with the actions that solution() gives on the same seed, then with the hint. */
async function play(browser, base, dir, id) {
  const page = await browser.newPage()
  await page.setViewportSize({ width: 1280, height: 900 })
  watch(page)
  await open(page, base, '/play/' + id, 'Play')
  const input = page.getByRole('textbox', { name: 'Your action' })
  await input.waitFor()
  const seed = /seed (-?\d+)/.exec(await page.locator('main').innerText())[1]
  const script = join(temp, 'solution.txt')
  execFileSync('sh', ['-c', `echo @solution > ${script}`])
  const solved = JSON.parse(execFileSync(spade, ['play', join(dir, 'environments', id + '.py'), '--seed', seed, '--actions', script, '--json'], { encoding: 'utf8' }))
  assert.equal(solved.status, 'won')
  for (const arm of ['blind', 'hinted']) {
    for (const [i, turn] of solved.turns.entries()) {
      await input.fill(/\\boxed\{(.*)\}/.exec(turn.action)[1])
      await input.press('Enter')
      await page.waitForFunction(([n, which]) => document.querySelectorAll('.game')[which]?.querySelectorAll('.you').length > n, [i, arm === 'blind' ? 0 : 1])
    }
    await page.locator('.game').nth(arm === 'blind' ? 0 : 1).getByText('You won.').waitFor()
    if (arm === 'blind') await page.getByRole('button', { name: 'Now with the hint, same seed' }).click()
  }
  await page.getByRole('heading', { name: 'Your regret beside the model’s' }).waitFor()
  await page.getByRole('button', { name: 'Show the source' }).click()
  await page.getByRole('region', { name: 'Python source' }).waitFor()
  await inspect(page, 'a finished game')
  await shot(page, 'play-won')
  const before = page.url()
  await page.getByRole('button', { name: 'Next one' }).click()
  await page.waitForFunction((was) => location.href !== was, before)
  await input.waitFor()
  assert.match(await page.getByRole('complementary').innerText(), /100 %/)
  await inspect(page, 'the next game')
  await page.close()
}

/** The numbers of a run that goes on grow without a reload; then it stands beside the finished one. */
async function live(browser, base) {
  const page = await browser.newPage()
  await page.setViewportSize({ width: 1440, height: 900 })
  watch(page)
  await open(page, base, '/run', 'Run')
  await page.locator('.chip', { hasText: 'running' }).waitFor()
  await page.waitForFunction(() => Number(document.querySelector('[role=progressbar]').ariaValueNow) >= 3, null, { timeout: 240_000 })
  await inspect(page, 'a live run')
  await shot(page, 'live')
  const now = await page.evaluate(() => Number(document.querySelector('[role=progressbar]').ariaValueNow))
  await page.waitForFunction((n) => Number(document.querySelector('[role=progressbar]').ariaValueNow) > n, now, { timeout: 240_000 })
  await page.getByLabel('Compare with').selectOption('done')
  await page.getByText('blind, done').first().waitFor()
  await inspect(page, 'two runs')
  await shot(page, 'compare')
  await page.close()
}

const step = async (name, what) => {
  const began = Date.now()
  const result = await what()
  assert.deepEqual(problems, [], name)
  console.log(`ok  ${name}  (${((Date.now() - began) / 1000).toFixed(1)} s)`)
  return result
}

let browser
try {
  const done = join(temp, 'done')
  await step('a finished run', () => execFileSync(spade, ['run', '--dir', done, '--cycles', '4'], { stdio: 'ignore' }))
  browser = await chromium.launchPersistentContext(join(temp, 'profile'), {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  })
  browser.setDefaultTimeout(60_000)
  const base = await dashboard('ui', done)
  const id = await step('every page, both colours, three widths', () => walk(browser, base, 'done'))
  await step('charts', () => charts(browser, base))
  await step('filters, an episode, its tokens', () => filters(browser, base))
  await step('the replay of the map', () => replay(browser, base))
  await step('a game, won', () => play(browser, base, done, id))
  await step('a live run, two runs', async () => live(browser, await dashboard('run', '--dir', join(temp, 'live'), '--cycles', '400', '--seed', '2', '--ui')))
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await browser?.close()
  for (const child of started) {
    child.removeAllListeners('exit')
    const ended = new Promise((gone) => child.on('exit', gone))
    if (child.exitCode === null) { child.kill('SIGINT'); await ended }
  }
  rmSync(temp, { recursive: true, force: true })
}
