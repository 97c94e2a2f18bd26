// Colours of what is drawn. Blind is always blue, with the hint always orange.

export interface Palette {
  blind: string
  hinted: string
  good: string
  regret: string
  anchor: string
  neutral: string
  grid: string
  text: string
  band: string
  other: string
}

export function palette(theme: string): Palette {
  return theme === 'dark'
    ? { blind: '#6aa5ff', hinted: '#f5a35c', good: '#4cc38a', regret: '#d48ce8', anchor: '#67c5d8', neutral: '#9aa4b2', grid: '#262c36',
        text: '#a6b0be', band: 'rgba(76,195,138,0.10)', other: '#e6c34d' }
    : { blind: '#1f5fd0', hinted: '#c2570c', good: '#18794e', regret: '#8e3bb0', anchor: '#0b7285', neutral: '#667085', grid: '#e7eaef',
        text: '#566072', band: 'rgba(24,121,78,0.08)', other: '#8a6a00' }
}

const light = ['#1f5fd0', '#c2570c', '#18794e', '#8e3bb0', '#b3261e', '#0b7285', '#8a6a00', '#d6409f', '#5b5bd6', '#4d6b1f', '#8d5a3b', '#5f6b7a', '#00a3bf', '#e08b00', '#7a1f5c', '#7cb518']
const dark = ['#6aa5ff', '#f5a35c', '#4cc38a', '#d48ce8', '#ff8a80', '#67c5d8', '#e6c34d', '#ff8dcc', '#a9a5ff', '#a4c26a', '#d0a080', '#aab4c2', '#22e0e8', '#ffb000', '#c05c9c', '#d6f06a']

/** The colour of the i-th of some names, the same wherever they are drawn. */
export const categorical = (i: number, theme: string) => (theme === 'dark' ? dark : light)[i % light.length]

/** A colour between cold (0) and warm (1). */
export function ramp(x: number, theme: string): string {
  const t = Math.max(0, Math.min(1, x))
  const stops = theme === 'dark'
    ? [[74, 111, 201], [86, 180, 190], [130, 200, 110], [240, 200, 80], [250, 130, 80]]
    : [[45, 75, 170], [20, 130, 150], [60, 140, 60], [190, 130, 0], [200, 60, 20]]
  const at = t * (stops.length - 1)
  const i = Math.min(stops.length - 2, Math.floor(at))
  const mix = stops[i].map((a, k) => Math.round(a + (stops[i + 1][k] - a) * (at - i)))
  return `rgb(${mix.join(',')})`
}
