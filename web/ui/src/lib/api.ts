// Where answers come from: the server, or the report that this page is.

/** In a report, the answers that it holds, by path below /api/v1. */
const embedded: Record<string, unknown> | null = readEmbedded()

function readEmbedded() {
  const element = document.getElementById('report')
  return element ? (JSON.parse(element.textContent ?? '{}') as Record<string, unknown>) : null
}

export const isReport = embedded !== null

export class ApiError extends Error {
  next: string
  constructor(message: string, next = '') {
    super(message)
    this.next = next
  }
}

export async function get<T>(path: string): Promise<T> {
  if (embedded) {
    const answer = embedded[decodeURIComponent(path.split('?')[0])]
    if (answer === undefined) throw new ApiError('This report does not hold that.', 'Open the run itself: spade ui RUN')
    return answer as T
  }
  return send<T>('GET', path)
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  return send<T>('POST', path, body)
}

export async function remove(path: string): Promise<void> {
  await send('DELETE', path)
}

async function send<T>(method: string, path: string, body?: unknown): Promise<T> {
  let response: Response
  try {
    response = await fetch('/api/v1/' + path, {
      method,
      headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
  } catch {
    throw new ApiError('The server does not answer.', 'Is spade ui still running?')
  }
  const answer = await response.json().catch(() => ({ error: `The server answered ${response.status}.` }))
  if (!response.ok) throw new ApiError(answer.error, answer.next)
  return answer as T
}
