// Charts zoom with mouse and keyboard, and turn into tables.
import assert from 'node:assert/strict'

export default async function charts({ visitor, base, cycles }) {
  const page = await visitor.page()
  await visitor.open(page, base + '#/run', 'Run', '.plot canvas')
  const plot = page.getByRole('img', { name: /^Win rate, in/ })
  const reset = page.getByRole('button', { name: 'Reset zoom' })
  await plot.focus()
  await page.keyboard.press('+')
  await reset.first().click()
  await reset.first().waitFor({ state: 'detached' })
  const box = await plot.boundingBox()
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.8, box.y + box.height / 2, { steps: 4 })
  await page.mouse.up()
  await reset.first().click()
  await reset.first().waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Win rate as a table', exact: true }).click()
  const rows = page.getByRole('region', { name: 'Win rate as a table', exact: true }).locator('tbody tr')
  await rows.first().waitFor()
  assert.equal(await rows.count(), cycles)
  assert.match(await rows.first().innerText(), /^1\s+\d+ %\s+\d+ %$/)
  await visitor.inspect(page, 'a chart as a table')
  await page.close()
}
