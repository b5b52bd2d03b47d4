import { expect, test } from 'vitest'
import { retrying } from './retry.ts'

type Answer = number | [status: number, retryAfter: string] | Error

/** Answers in turn, and records the bodies that arrive and the pauses between them. */
function scene(answers: Answer[], options: { attempts?: number; timeoutMs?: number } = {}) {
  const [bodies, pauses]: [string[], number[]] = [[], []]
  const names: (string | null)[] = []
  const server = async (request: Request) => {
    bodies.push(await request.text())
    names.push(request.headers.get('idempotency-key'))
    request.signal.throwIfAborted()
    const answer = answers.shift()
    if (answer instanceof Error) throw answer
    if (answer === undefined)
      return new Promise<Response>((_, reject) =>
        request.signal.addEventListener('abort', () => reject(request.signal.reason)),
      )
    const [status, retryAfter] = typeof answer === 'number' ? [answer] : answer
    return new Response(null, {
      status,
      headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
    })
  }
  let ms = 0
  const wait = async (pause: number) => {
    pauses.push(pause)
    ms += pause
  }
  const fetch = retrying(server, { ...options, wait, now: () => ms })
  const send = async (method: string, path = '/assets', signal?: AbortSignal) => {
    const init = method === 'GET' ? {} : { body: 'sent' }
    return (
      await fetch(
        new Request(`https://api.example.com${path}`, { method, ...init, ...(signal && { signal }) }),
      )
    ).status
  }
  return { bodies, names, pauses, send }
}

test('429 is repeated with its body after Retry-After, whatever the method', async () => {
  const { bodies, pauses, send } = scene([[429, '3'], [429, '0'], 201])
  expect(await send('POST')).toBe(201)
  expect(bodies).toEqual(['sent', 'sent', 'sent'])
  expect([pauses[0], pauses.length]).toEqual([3_000, 2])
})

test('a 5xx is repeated for what does the same again, with growing pauses', async () => {
  for (const [method, path] of [
    ['GET'],
    ['DELETE'],
    ['POST', '/api/v1/inventory/save'],
    ['POST', '/api/v1/oauth/token'],
  ] as const) {
    const { pauses, send } = scene([500, 502, 503, 200])
    expect(await send(method, path)).toBe(200)
    expect(pauses.map((ms, i) => ms >= 500 * 2 ** i && ms <= 1_000 * 2 ** i)).toEqual([true, true, true])
  }
})

test('a POST or PATCH may have succeeded, so a 5xx or a broken connection is its result', async () => {
  for (const method of ['POST', 'PATCH']) {
    expect(await scene([503, 201]).send(method)).toBe(503)
    await expect(scene([new TypeError('fetch failed'), 201]).send(method)).rejects.toThrow('fetch failed')
  }
})

test('a POST that takes a name has one, which its repeats share, also while the first still runs', async () => {
  const paths = ['assets', 'locations', 'assets/batch', 'locations/batch', 'assets/7/tags', 'inventory/save']
  const seen: (string | null)[] = []
  for (const path of paths) {
    const { names, send } = scene([503, new TypeError('fetch failed'), [409, '1'], 201])
    expect(await send('POST', `/prefix/api/v1/${path}`)).toBe(201)
    expect([new Set(names).size, names.length]).toEqual([1, 4])
    expect(names[0]).toMatch(/^[\da-f-]{36}$/)
    seen.push(...names)
  }
  expect(new Set(seen).size).toBe(paths.length)
  const conflict = scene([409, 201])
  expect(await conflict.send('POST', '/api/v1/assets')).toBe(409)
  for (const path of ['/api/v1/webhooks', '/legacy/api/v1/assets', '/api/v1/assets/7/rename']) {
    const { names, send } = scene([503, 201])
    expect([await send('POST', path), names]).toEqual([503, [null]])
  }
})

test('a broken connection and a timeout are repeated', async () => {
  expect(await scene([new TypeError('fetch failed'), 200]).send('GET')).toBe(200)
  await expect(scene([], { attempts: 2, timeoutMs: 5 }).send('GET')).rejects.toThrow('timeout')
})

test('the last response is the result, and a long Retry-After is left to the caller', async () => {
  expect(await scene([500, 500, 200], { attempts: 2 }).send('GET')).toBe(500)
  expect(await scene([[429, '3600'], 200]).send('GET')).toBe(429)
  expect(await scene([404, 200]).send('GET')).toBe(404)
})

test('an aborted request is not repeated', async () => {
  const stopping = new AbortController()
  const { bodies, send } = scene([])
  const sent = send('GET', '/assets', stopping.signal)
  stopping.abort(new Error('stopped'))
  await expect(sent).rejects.toThrow('stopped')
  expect(bodies.length).toBeLessThan(2)
})
