// A person plays an environment, blind to a win and then with the hint; sees both regrets; and is offered the next one.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './spade.mjs'

export default async function play(t) {
  const { visitor, base, best } = t
  const page = await visitor.page(1280, 900)
  await visitor.open(page, base + '#/play/' + best.id, 'Play', '#action')
  await win(page, t)
  const result = await page.getByRole('table', { name: 'Returns of yours and of the model' }).innerText()
  assert.match(result, /You\s+1\.00\s+1\.00\s+0\.00/)
  assert.match(result, /Model.*\d+ % won\s+\d+ % won\s+[+−]?\d\.\d\d/)
  await page.getByRole('button', { name: 'Show the source' }).click()
  await page.getByRole('region', { name: 'Python source' }).waitFor()
  await visitor.inspect(page, 'a finished game')
  const before = page.url()
  await page.getByRole('button', { name: 'Next one' }).click()
  await page.waitForURL((now) => String(now) !== before)
  await page.locator('.game').getByRole('heading', { name: 'Blind' }).waitFor()
  assert.match(await page.getByRole('complementary').innerText(), /100 %/)
  await visitor.inspect(page, 'the next game')
  await page.close()
}

/** Wins the game that a page is open at in both arms, with the actions that its own solution() gives on the same seed. */
export async function win(page, { spade, dir, temp, best }) {
  const input = page.getByRole('textbox', { name: 'Your action' })
  const seed = /seed (-?\d+)/.exec(await page.locator('main').innerText())[1]
  const script = join(temp, 'solution.txt')
  await writeFile(script, '@solution\n')
  const solved = JSON.parse(await run(spade, 'play', join(dir, 'environments', best.id + '.py'), '--seed', seed, '--actions', script, '--json'))
  assert.equal(solved.status, 'won')
  for (const arm of ['Blind', 'With the hint']) {
    const game = page.locator('.game', { has: page.getByRole('heading', { name: arm, exact: true }) })
    await game.waitFor()
    const broke = game.getByText('The environment broke')
    for (const [i, turn] of solved.turns.entries()) {
      await input.or(broke).first().waitFor()
      if (await broke.count()) throw new Error('the game did not go on: ' + (await game.innerText()))
      await input.fill(/\\boxed\{(.*)\}/.exec(turn.action)[1])
      await input.press('Enter')
      await game.locator('.you').nth(i).waitFor()
    }
    await game.getByText('You won.').waitFor()
    if (arm === 'Blind') await page.getByRole('button', { name: 'Now with the hint, same seed' }).click()
  }
  await page.getByRole('heading', { name: 'Your regret beside the model’s' }).waitFor()
}
