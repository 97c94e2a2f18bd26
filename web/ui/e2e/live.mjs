// A run that goes on: its numbers grow by what the stream says, without a reload. Then it stands beside the finished one.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { serve } from './spade.mjs'

export default async function live({ visitor, spade, config, runs, name }) {
  const { base } = await serve(spade, 'run', config, '--dir', join(runs, 'live'), '--cycles', '100000', '--seed', '2', '--ui')
  const page = await visitor.page()
  await visitor.open(page, base + '#/run', 'Run')
  await page.locator('.chip', { hasText: 'running' }).waitFor()
  const committed = () => page.evaluate(() => Number(document.querySelector('[role=progressbar]').ariaValueNow))
  const reaches = (cycle) => page.waitForFunction((n) => Number(document.querySelector('[role=progressbar]').ariaValueNow) >= n, cycle, { timeout: 300_000 })
  await reaches(2)
  await page.locator('.plot canvas').first().waitFor()
  const now = await committed()
  await reaches(now + 1)
  assert.equal(await page.evaluate(() => performance.getEntriesByType('navigation').length), 1)
  await visitor.inspect(page, 'a live run')
  await page.getByLabel('Compare with').selectOption(name)
  await page.getByText(`blind, ${name}`).first().waitFor()
  await page.getByRole('rowheader', { name }).waitFor()
  await visitor.inspect(page, 'two runs')
  await page.close()
}
