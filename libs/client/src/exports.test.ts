import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { ExportFailed, type ExportFile } from './exports.ts'
import { refusal } from './gate.fixture.ts'
import { createWhereabouts } from './whereabouts.ts'

const CONTENT = Buffer.from(Array.from({ length: 10_000_000 }, (_, i) => i % 251)) // three pieces, which are not text
const FILE: ExportFile = {
  name: 'history-2026-11-21.parquet',
  day: '2026-11-21',
  rows: 1,
  bytes: CONTENT.length,
  sha256: createHash('sha256').update(CONTENT).digest('hex'),
  url: '/api/v1/exports/7/files/history-2026-11-21.parquet?signature=s',
}

type Answer = () => Response

/** A client of a server that gives these answers, and then what `rest` says. */
function clientOf(answers: Answer[], rest?: (request: Request) => Response) {
  const requests: Request[] = []
  const pauses: number[] = []
  const whereabouts = createWhereabouts({
    baseUrl: 'https://api.example.com/',
    clientId: 'id',
    clientSecret: 's',
    userAgent: 'tests/1',
    wait: (ms) => Promise.resolve(void pauses.push(ms)),
    fetch: (request) => {
      if (request.url.endsWith('/oauth/token'))
        return Promise.resolve(Response.json({ access_token: 't', expires_in: 900 }))
      requests.push(request)
      const answer = answers.shift() ?? (rest && (() => rest(request)))
      if (!answer) throw new Error(`nothing answers ${request.url}`)
      return Promise.resolve().then(answer)
    },
  })
  return { ...whereabouts, requests, pauses }
}

const cut: Answer = () => {
  throw new TypeError('fetch failed')
}
const failed =
  (status: number): Answer =>
  () =>
    Response.json(refusal('some_type', { status }), { status })
const state = (status: string, more: object = {}): Answer => {
  const finished_at = ['done', 'failed'].includes(status) ? '2026-11-21T10:00:00.000Z' : null
  return () => Response.json({ data: { id: 7, status, finished_at, ...more } })
}

function pieceOf(request: Request, content: Buffer = CONTENT): Response {
  const [first = 0, last = 0] = /\d+-\d+/.exec(request.headers.get('range') ?? '')?.[0].split('-').map(Number) ?? []
  const headers = { 'content-type': 'application/vnd.apache.parquet' }
  return new Response(new Uint8Array(content.subarray(first, last + 1)), { status: 206, headers })
} // oxfmt-ignore

test('D22.3 an export is awaited through failures and broken connections, and each state is told', async () => {
  const { exports, pauses, requests } = clientOf([
    state('queued'),
    failed(503),
    state('running'),
    cut,
    state('running'),
    state('done', { files: [FILE] }),
  ])
  const seen: string[] = []
  const { files } = await exports.wait(7, { onProgress: ({ status }) => seen.push(status) })
  expect(files).toEqual([FILE])
  expect(seen).toEqual(['queued', 'running', 'running', 'done'])
  expect(pauses.filter((ms) => ms === 2_000)).toHaveLength(3)
  expect(requests[0]?.headers.get('authorization')).toBe('Bearer t')
})

test('D22.3 a failed export says what to do, and one that was deleted is 404', async () => {
  const failing = clientOf([state('failed', { problem: 'Choose a shorter time.' })]).exports.wait(7)
  await expect(failing).rejects.toThrow(new ExportFailed('Choose a shorter time.'))
  await expect(clientOf([failed(404)]).exports.wait(7)).rejects.toMatchObject({ status: 404 })
})

test('a wait ends with its signal', async () => {
  const stop = new AbortController()
  const { exports } = clientOf([], state('running'))
  const waiting = exports.wait(7, {
    signal: stop.signal,
    wait: async (_ms, signal) => {
      stop.abort(new Error('enough'))
      signal.throwIfAborted()
    },
  })
  await expect(waiting).rejects.toThrow('enough')
})

test('D22.3 a file is read piece by piece, without a token; what breaks is read again', async () => {
  let broken = 0
  const reading = clientOf([], (request) => {
    if (request.headers.get('range')?.startsWith('bytes=4194304-') && (broken += 1) <= 2)
      return broken === 1 ? failed(503)() : cut()
    return pieceOf(request)
  })
  const pieces = await Array.fromAsync(reading.exports.download(FILE))
  expect(Buffer.concat(pieces).equals(CONTENT)).toBe(true)
  expect(reading.requests.map(({ headers }) => headers.get('range'))).toEqual([
    'bytes=0-4194303',
    'bytes=4194304-8388607',
    'bytes=4194304-8388607',
    'bytes=4194304-8388607',
    'bytes=8388608-9999999',
  ])
  expect(reading.requests[0]?.url).toBe(`https://api.example.com${FILE.url}`)
  expect(reading.requests.some(({ headers }) => headers.has('authorization'))).toBe(false)
})

test('a file that is another by now, or gone, ends the download', async () => {
  const whole = clientOf([], () => new Response('x', { headers: { 'content-type': 'application/gzip' } }))
  await expect(Array.fromAsync(whole.exports.download(FILE))).rejects.toThrow('Read the export again')
  const short = clientOf([], (request) => pieceOf(request, CONTENT.subarray(0, 9_000_000)))
  await expect(Array.fromAsync(short.exports.download(FILE))).rejects.toThrow('Read the export again')
  const gone = clientOf([failed(404)])
  await expect(Array.fromAsync(gone.exports.download(FILE))).rejects.toMatchObject({ status: 404 })
})

test('a list has all exports, also when some are removed meanwhile', async () => {
  const page = (count: number, total_count: number): Answer => {
    return () => Response.json({ data: Array.from({ length: count }, (_, id) => ({ id })), total_count })
  }
  expect(await clientOf([page(200, 201), page(1, 201)]).exports.list()).toHaveLength(201)
  expect(await clientOf([page(200, 201), page(0, 200)]).exports.list()).toHaveLength(200)
  expect(await clientOf([page(0, 0)]).exports.list()).toEqual([])
})
