// The report is one file that opens without a server and asks for nothing.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { run } from './spade.mjs'

export default async function report({ visitor, spade, dir, temp, name, best, cycles }) {
  const file = join(temp, 'report.html')
  await run(spade, 'show', dir, '--html', file)
  const page = await visitor.page()
  const asked = []
  page.on('request', (r) => { if (!r.url().startsWith('data:')) asked.push(r.url().split('#')[0]) })
  const address = pathToFileURL(file).href
  await visitor.open(page, address, `Run ${name}`, '.plot canvas')
  for (const [link, ready] of [['Curriculum', '.card'], ['Map', 'canvas'], ['Corpus', 'tbody tr'], ['Jail', '.bars'], ['Run', '.plot canvas']]) {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: link }).click()
    await page.locator(ready).first().waitFor()
    await visitor.fits(page, `the report’s ${link}`)
  }
  await page.goto('about:blank')
  await visitor.open(page, `${address}#/environment/${best.id}`, '', '.code')
  await page.locator('table a', { hasText: 'episode 1' }).first().click()
  await page.locator('.turn').first().waitFor()
  await visitor.inspect(page, 'the report')
  assert.equal(await page.getByText(`cycle ${cycles} of ${cycles}`).count(), 1)
  assert.deepEqual([...new Set(asked)].filter((a) => a !== address && a !== 'about:blank'), [])
  await page.close()
}
