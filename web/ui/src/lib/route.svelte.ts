// The address behind the #: /page/part/part?run=NAME&vs=NAME. Pages are links, so that back, bookmarks and new tabs work.

interface Route {
  page: string
  parts: string[]
  run: string
  versus: string
}

function parse(): Route {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?')
  const [page, ...parts] = path.split('/').map(decodeURIComponent)
  const values = new URLSearchParams(query)
  return { page: page || 'run', parts, run: values.get('run') ?? '', versus: values.get('vs') ?? '' }
}

export const route: Route = $state(parse())

addEventListener('hashchange', () => {
  Object.assign(route, parse())
  scrollTo(0, 0)
})

/** The address of a page of the run that is shown. */
export function to(page: string, ...parts: (string | number)[]): string {
  return address(page, parts, route.run, route.versus)
}

export function address(page: string, parts: (string | number)[], run: string, versus: string): string {
  const values = new URLSearchParams()
  if (run) values.set('run', run)
  if (versus) values.set('vs', versus)
  const query = values.toString()
  return '#/' + [page, ...parts].map((p) => encodeURIComponent(p)).join('/') + (query ? '?' + query : '')
}

export function go(address: string) {
  location.hash = address
}
