// A browser that looks at the dashboard and notes what a visitor must not meet.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chromium } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export class Visitor {
  /** What was found; empty if all is well. */
  problems = []
  #context

  /** Opens a browser with a new profile in a folder. */
  static async start(profile) {
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      // Chromium refuses to isolate itself when it runs as root, as it does in containers. It sees only our own pages.
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    })
    context.setDefaultTimeout(120_000) // only a failure waits for as long as that, even on a busy machine
    return new Visitor(context)
  }

  constructor(context) {
    this.#context = context
  }

  /** A new tab whose errors and requests are watched. */
  async page(width = 1440, height = 900) {
    const page = await this.#context.newPage()
    await page.setViewportSize({ width, height })
    page.on('console', (m) => { if (m.type() === 'error' || m.type() === 'warning') this.problems.push(`console of ${page.url()}: ${m.text()}`) })
    page.on('pageerror', (e) => this.problems.push(`error on ${page.url()}: ${e.stack}`))
    page.on('request', (r) => { if (!/^(http:\/\/127\.0\.0\.1:|file:|data:|about:|blob:)/.test(r.url())) this.problems.push(`${page.url()} asks a third party: ${r.url()}`) })
    return page
  }

  /** Goes to a page of the dashboard and waits until what it was opened for is there. */
  async open(page, address, heading, ready) {
    await page.goto(address)
    await page.locator('main h1', { hasText: heading }).first().waitFor({ state: 'attached' })
    await page.getByText(/^(Opening|placing|opening) /).waitFor({ state: 'detached' })
    if (ready) await page.locator(ready).first().waitFor()
  }

  /** Notes serious findings about accessibility. */
  async accessible(page, name) {
    if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
    const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }))
    for (const v of found.violations.filter((v) => ['serious', 'critical'].includes(v.impact))) {
      this.problems.push(`${name}: ${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')}`)
    }
  }

  /** Notes contents that are wider than the window. */
  async fits(page, name) {
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    if (wider > 0) this.problems.push(`${name} is ${wider} px wider than the window`)
  }

  async inspect(page, name) {
    await this.accessible(page, name)
    await this.fits(page, name)
  }

  close() {
    return this.#context.close()
  }
}
