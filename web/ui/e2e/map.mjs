// The map goes back and forth in time, changes its colours, and a click on a point opens its environment.
import assert from 'node:assert/strict'

export default async function map({ visitor, base, cycles }) {
  const page = await visitor.page(1000, 800)
  await visitor.open(page, base + '#/map', 'Map', 'canvas')
  const label = page.locator('.cyclelabel')
  assert.equal(await label.innerText(), `cycle ${cycles}`)
  await page.getByRole('slider').fill('1')
  assert.equal(await label.innerText(), 'cycle 1')
  await page.getByRole('button', { name: 'Replay the run' }).click()
  await page.waitForFunction((want) => document.querySelector('.cyclelabel').textContent === want, `cycle ${cycles}`)
  for (const colour of ['regret', 'win', 'cycle']) {
    await page.getByRole('combobox', { name: 'Colour' }).selectOption(colour)
    await page.locator('.swatch').first().waitFor()
  }
  const place = await page.evaluate(somePoint)
  assert.ok(place, 'no point of the map answers to the pointer')
  await page.mouse.move(place.x, place.y)
  await page.locator('.tip').waitFor()
  await page.mouse.click(place.x, place.y)
  await page.getByRole('heading', { name: 'Paired plays' }).waitFor()
  await page.close()
}

/** In the page: a place on the map where there is a point. */
async function somePoint() {
  const canvas = document.querySelector('main canvas')
  canvas.scrollIntoView({ block: 'center' })
  const box = canvas.getBoundingClientRect()
  for (let y = Math.max(8, box.top); y < Math.min(innerHeight, box.bottom); y += 8) {
    for (let x = box.left + 8; x < box.right; x += 8) {
      canvas.dispatchEvent(new PointerEvent('pointermove', { clientX: x, clientY: y, bubbles: true }))
      await Promise.resolve()
      if (canvas.style.cursor === 'pointer') return { x, y }
    }
  }
  return null
}
