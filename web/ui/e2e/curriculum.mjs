// The curriculum is filtered; from it one comes to an environment, its episodes and their tokens.
import assert from 'node:assert/strict'

export default async function curriculum({ visitor, base, environments }) {
  const page = await visitor.page()
  await visitor.open(page, base + '#/curriculum', 'Curriculum', '.card')
  const cards = page.locator('.card')
  const all = Math.min(48, environments.id.length)
  assert.equal(await cards.count(), all)
  const skill = environments.skill[0]
  const ofSkill = environments.skill.filter((s) => s === skill).length
  await page.getByRole('combobox', { name: 'Skill' }).selectOption(skill)
  await page.getByText(`${ofSkill} of ${environments.id.length}`).waitFor()
  assert.equal(await cards.count(), ofSkill)
  await page.getByRole('searchbox').fill('no such environment anywhere')
  await page.getByText('No environment fits these filters.').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await cards.first().waitFor()
  assert.equal(await cards.count(), all)
  await page.getByRole('button', { name: 'Table' }).click()
  const table = page.getByRole('table', { name: 'Environments' })
  await table.waitFor()
  assert.equal(await table.locator('tbody tr').count(), all)
  await table.locator('tbody a').first().click()
  await page.getByRole('heading', { name: 'Paired plays' }).waitFor()
  await page.locator('table a', { hasText: 'episode 1' }).first().click()
  await page.getByRole('heading', { name: 'with hint' }).waitFor()
  await page.getByRole('button', { name: 'Tokens and log-probabilities' }).click()
  const sampled = page.locator('.tokens .t:not(.read)').first()
  assert.match(await sampled.getAttribute('title'), /log-probability −?-?\d/)
  await visitor.inspect(page, 'tokens')
  await page.close()
}
