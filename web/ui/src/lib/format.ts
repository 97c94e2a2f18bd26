export const percent = (x: number | null | undefined, digits = 0) => (x == null ? '–' : `${(100 * x).toFixed(digits)} %`)
export const fixed = (x: number | null | undefined, digits = 2) => (x == null ? '–' : x.toFixed(digits).replace('-', '−'))
export const signed = (x: number | null | undefined, digits = 2) => (x == null ? '–' : (x > 0 ? '+' : '') + fixed(x, digits))
export const points = (x: number) => `${x >= 0 ? '+' : '−'}${Math.abs(100 * x).toFixed(1)} points`
export const count = (n: number, one: string, many = one + 's') => `${number(n)} ${n === 1 ? one : many}`
export const number = (n: number) => n.toLocaleString('en')

export function duration(seconds: number): string {
  const s = Math.round(seconds)
  if (s < 60) return `${s} s`
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60 ? (s % 60) + ' s' : ''}`.trim()
  if (s < 172800) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`
  return `${(s / 86400).toFixed(1)} days`
}

export const mean = (values: number[]) => (values.length ? values.reduce((a, b) => a + b, 0) / values.length : 0)
export const last = <T>(values: T[]): T | undefined => values[values.length - 1]
