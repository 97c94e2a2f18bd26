// The program under test: runs of it, and dashboards that it serves.
import { execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const started = []

/** Runs spade to its end and returns what it printed. */
export async function run(spade, ...args) {
  return (await promisify(execFile)(spade, args, { encoding: 'utf8', maxBuffer: 1 << 26 })).stdout
}

/** Starts spade with a dashboard on a free port. Returns the address that it prints, and its process id. */
export function serve(spade, ...args) {
  const child = spawn(spade, [...args, '--addr', '127.0.0.1:0'], { stdio: ['ignore', 'ignore', 'pipe'] })
  started.push(child)
  return new Promise((done, fail) => {
    let said = ''
    createInterface({ input: child.stderr }).on('line', (line) => {
      said = (said + line + '\n').slice(-4000)
      const address = /the dashboard is at (http:\S+)/.exec(line)
      if (address) done({ base: address[1], pid: child.pid })
    })
    child.on('error', fail)
    child.on('exit', (code) => fail(new Error(`spade ${args.join(' ')} ended with ${code}:\n${said}`)))
  })
}

/** Among the environments of a run, as the API lists them, the one that the first page says taught most. */
export function mostTeaching(e) {
  const regret = (i) => (e.hinted_plays[i] && e.win_rate[i] >= 0.15 && e.win_rate[i] <= 0.85 ? e.regret[i] : -2)
  const i = e.id.reduce((best, _, k) => (regret(k) > regret(best) ? k : best), 0)
  return { id: e.id[i], cycle: e.measured[i], passage: e.passage[i] }
}

/** Ends what serve started, and waits until it is gone. */
export async function stop() {
  await Promise.all(started.splice(0).map((child) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((done) => child.once('exit', done))
    child.kill('SIGINT')
    return gone
  }))
}
