// Takes the screenshots of the documentation. Usage: node e2e/screenshots.mjs SPADE RUN OUT. Another run beside RUN
// is the one that it is compared with.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { win } from './play.mjs'
import { mostTeaching, serve, stop } from './spade.mjs'
import { Visitor } from './visit.mjs'

const [spade, dir, out] = process.argv.slice(2).map((p) => resolve(p))
const temp = mkdtempSync(join(tmpdir(), 'spade-screenshots-'))
mkdirSync(out, { recursive: true })
const visitor = await Visitor.start(join(temp, 'profile'))
try {
  const { base } = await serve(spade, 'ui', dir)
  const api = async (path) => (await fetch(`${base}api/v1/${path}`)).json()
  const [own, other] = await api('runs')
  const best = mostTeaching(await api(`runs/${own.name}/environments`))
  const { designs } = await api(`runs/${own.name}/jail`)
  const told = designs.codes.findLastIndex((codes) => codes.includes('contract') || codes.includes('trivial'))

  const take = async (name, path, heading, ready, { theme = 'light', size = [1440, 900], before } = {}) => {
    const page = await visitor.page(...size)
    await page.emulateMedia({ colorScheme: theme })
    await visitor.open(page, base + '#' + path, heading, ready)
    await before?.(page)
    await page.evaluate(() => document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))))
    await page.screenshot({ path: join(out, name + '.png') })
    await page.close()
  }
  await take('run', '/run', 'Run', '.plot canvas')
  await take('run-dark', '/run', 'Run', '.plot canvas', { theme: 'dark' })
  await take('run-phone', '/run', 'Run', '.plot canvas', { size: [400, 860] })
  if (other) await take('compare', `/run?vs=${encodeURIComponent(other.name)}`, 'Run', '.plot canvas', { before: (page) => page.getByText(`blind, ${other.name}`).first().waitFor() })
  await take('curriculum', '/curriculum', 'Curriculum', '.card')
  await take('map', '/map', 'Map', 'canvas')
  await take('map-dark', '/map', 'Map', 'canvas', { theme: 'dark', before: (page) => page.getByRole('combobox', { name: 'Colour' }).selectOption('win') })
  await take('environment', `/environment/${best.id}`, '', '.code')
  await take('episode', `/episode/${best.cycle}/${best.id}/0`, 'Episode', '.turn', { before: async (page) => {
    await page.getByRole('button', { name: 'Tokens and log-probabilities' }).click()
    await page.locator('.tokens').first().waitFor()
  } })
  await take('corpus', '/corpus', 'Corpus', 'tbody tr')
  await take('jail', '/jail', 'Jail', '.bars')
  await take('refusal', `/jail/${designs.cycle[told]}/${designs.slot[told]}`, 'Design', '#why')
  await take('play', `/play/${best.id}`, 'Play', '#action', { theme: 'dark', before: (page) => win(page, { spade, dir, temp, best }) })
} finally {
  await visitor.close()
  await stop()
  rmSync(temp, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 }) // the browser may still be at it
}
