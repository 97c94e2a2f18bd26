// Every page of a finished run, in both colours, from a telephone to a wide screen.

const widths = [[1440, 900], [400, 800], [2560, 1300]]

export default async function walk({ visitor, base, name, best, refused }) {
  const pages = [
    ['/run', `Run ${name}`, '.plot canvas'], ['/curriculum', 'Curriculum', '.card'], ['/map', 'Map', 'canvas'],
    [`/environment/${best.id}`, '', '.code'], [`/episode/${best.cycle}/${best.id}/0`, 'Episode 1', '.turn'],
    ['/corpus', 'Corpus', 'tbody tr'], [`/corpus/${best.passage}`, 'Passage', 'tbody tr'],
    ['/jail', 'Jail', '.bars'], [`/jail/${refused.cycle}/${refused.slot}`, 'Design', '#why'], [`/play/${best.id}`, 'Play', '#action'],
  ]
  const page = await visitor.page()
  for (const [path, heading, ready] of pages) {
    await page.goto('about:blank')
    await visitor.open(page, base + '#' + path, heading, ready)
    for (const theme of ['light', 'dark']) {
      const other = page.getByRole('button', { name: `Use ${theme} colours` })
      if (await other.count()) await other.click()
      for (const [width, height] of widths) {
        await page.setViewportSize({ width, height })
        const at = `${path.split('/').slice(1, 3).join('-').slice(0, 20)}-${theme}-${width}`
        await visitor.fits(page, at)
        // How wide the window is decides what is shown, its colours do not.
        if (width === 1440 || (width === 400 && theme === 'light')) await visitor.accessible(page, at)
      }
    }
  }
  await page.close()
}
