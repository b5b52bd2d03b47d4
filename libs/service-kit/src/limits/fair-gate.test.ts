import { afterEach, describe, expect, test, vi } from 'vitest'
import { FairGate } from './fair-gate.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** Work that records its start in `log`, and ends when the test ends it. */
function job(log: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const work = () => {
    log.push(name)
    return promise
  }
  return { work, end: () => resolve(name), fail: () => reject(new Error(name)) }
}

/** Lets all work that can continue do so. */
const settled = () => new Promise(setImmediate)

/** A gate with one place, which `running` holds. `add` starts work that ends at once. */
function held(options: Partial<ConstructorParameters<typeof FairGate<string>>[0]> = {}) {
  const log: string[] = []
  const gate = new FairGate<string>({ running: 1, ...options })
  const running = job(log, 'running')
  const first = gate.run('x', running.work)
  const add = (key: string, name: string, signal?: AbortSignal) => {
    const done = gate.run(key, async () => void log.push(name), signal)
    done.catch(() => undefined) // each test looks at the refusals that it expects
    return done
  }
  const end = async () => {
    running.end()
    await first
    await settled()
  }
  return { gate, log, add, end, running, first }
}

const rateLimited = { type: 'rate_limited', headers: { 'retry-after': '1' } }
const unavailable = { type: 'service_unavailable', headers: { 'retry-after': '1' } }

describe('places', () => {
  test('work begins before `run` returns if a place is free, even if nothing may wait', () => {
    const gate = new FairGate({ running: 2, waiting: 0 })
    const log: string[] = []
    void gate.run('a', job(log, 'one').work)
    void gate.run('b', job(log, 'two').work)
    expect(log).toEqual(['one', 'two'])
  })

  test('a key uses at most half of them, rounded up, and others find the rest free', async () => {
    const gate = new FairGate<string>({ running: 5 })
    const log: string[] = []
    const jobs = ['1', '2', '3', '4'].map((name) => job(log, name))
    const done = Promise.all(jobs.map(({ work }) => gate.run('flood', work)))
    await gate.run('quiet', async () => void log.push('quiet'))
    expect(log).toEqual(['1', '2', '3', 'quiet'])
    for (const { end } of jobs) end()
    expect(await done).toEqual(['1', '2', '3', '4'])
    expect(log.at(-1)).toBe('4')
  })

  test('with one place per key and no limit of all, each key is a queue of its own', async () => {
    const gate = new FairGate<string>({ running: Infinity, runningPerKey: 1 })
    const log: string[] = []
    const [mine, theirs] = [job(log, 'mine'), job(log, 'theirs')]
    const first = gate.run('me', mine.work)
    const second = gate.run('me', async () => void log.push('mine too'))
    void gate.run('them', theirs.work)
    expect(log).toEqual(['mine', 'theirs'])
    mine.end()
    await Promise.all([first, second])
    expect(log).toEqual(['mine', 'theirs', 'mine too'])
    theirs.end()
  })

  test('work that fails or throws frees its place, and the caller gets the error', async () => {
    const { log, add, running, first, gate } = held()
    const next = add('x', 'next')
    running.fail()
    await expect(first).rejects.toThrow('running')
    await next
    const thrown = gate.run('x', () => {
      throw new Error('at once')
    })
    await expect(thrown).rejects.toThrow('at once')
    await add('x', 'last')
    expect(log).toEqual(['running', 'next', 'last'])
    expect(gate.sizes()).toEqual({ running: 0, waiting: 0 })
  })

  test('work that already runs may overdraw the gate, which then admits nobody until it is paid back', async () => {
    const { gate, log, add, end } = held()
    gate.take('b')
    const waiting = add('a', 'waits')
    await end()
    expect(log).toEqual(['running'])
    gate.leave('b')
    await waiting
    expect(log).toEqual(['running', 'waits'])
  })
})

describe('bursts', () => {
  /** A gate of four places whose time the test sets. `a` has four jobs, of which two begin. */
  function bursting() {
    vi.useFakeTimers()
    const gate = new FairGate<string>({ running: 4, burstMs: 100 })
    const log: string[] = []
    const jobs = ['a 1', 'a 2', 'a 3', 'a 4'].map((name) => job(log, name))
    for (const { work } of jobs) void gate.run('a', work)
    const other = () => gate.run('b', async () => void log.push('b'))
    const end = async (i: number) => {
      jobs[i]?.end()
      await vi.advanceTimersByTimeAsync(0)
    }
    return { gate, log, other, end }
  }

  test('beside others, a key that has held two places for that long gets one', async () => {
    const { log, other, end } = bursting()
    await other()
    vi.advanceTimersByTime(100)
    await end(0)
    expect(log).toEqual(['a 1', 'a 2', 'b'])
    await end(1)
    expect(log).toEqual(['a 1', 'a 2', 'b', 'a 3'])
  })

  test('before that, and alone, a key has its half', async () => {
    const { log, end, other } = bursting()
    vi.advanceTimersByTime(1_000)
    await end(0)
    expect(log).toEqual(['a 1', 'a 2', 'a 3'])
    await other()
    vi.advanceTimersByTime(1_000) // since when nobody else has come
    await end(1)
    expect(log).toEqual(['a 1', 'a 2', 'a 3', 'b', 'a 4'])
  })

  test('a key gets back the time in which it holds none', async () => {
    const { gate, log, other, end } = bursting()
    await other()
    vi.advanceTimersByTime(100)
    for (const i of [0, 1, 2, 3]) await end(i)
    vi.advanceTimersByTime(40)
    const [first] = ['a 5', 'a 6', 'a 7', 'a 8'].map((name) => {
      const one = job(log, name)
      void gate.run('a', one.work)
      return one
    })
    expect(log.slice(-2)).toEqual(['a 5', 'a 6'])
    vi.advanceTimersByTime(40)
    first?.end()
    await vi.advanceTimersByTimeAsync(0)
    expect(log.at(-1)).toBe('a 6')
  })

  test('work that comes when a key has its half again does not overtake what waits', async () => {
    const { gate, log, other, end } = bursting()
    await other()
    vi.advanceTimersByTime(100)
    await end(0)
    vi.advanceTimersByTime(1_000) // alone
    void gate.run('a', async () => void log.push('a 5'))
    vi.advanceTimersByTime(1_000)
    void gate.run('a', async () => void log.push('a 6'))
    await vi.advanceTimersByTimeAsync(0)
    expect(log).toEqual(['a 1', 'a 2', 'b', 'a 3'])
  })
})

describe('turns', () => {
  test('keys take turns, first in first out within one, however much work each has', async () => {
    const { log, add, end } = held()
    for (const name of ['flood 1', 'flood 2', 'flood 3']) void add('flood', name)
    void add('a', 'a 1')
    void add('b', 'b 1')
    void add('b', 'b 2')
    await end()
    expect(log).toEqual(['running', 'flood 1', 'a 1', 'b 1', 'flood 2', 'b 2', 'flood 3'])
  })

  test('a key with all its places is passed over, and goes on when one of them is free', async () => {
    const gate = new FairGate<string>({ running: 2, runningPerKey: 1 })
    const log: string[] = []
    const [a, b] = [job(log, 'a 1'), job(log, 'b 1')]
    const done = [
      gate.run('a', a.work),
      gate.run('b', b.work),
      gate.run('a', async () => void log.push('a 2')),
      gate.run('c', async () => void log.push('c 1')),
    ]
    b.end()
    await settled()
    expect(log).toEqual(['a 1', 'b 1', 'c 1'])
    a.end()
    await Promise.all(done)
    expect(log.at(-1)).toBe('a 2')
  })

  test('what waits of a key can move to another gate, in order, and leaves that one', async () => {
    const { gate, log, add, end } = held()
    const other = new FairGate<string>({ running: 1 })
    const done = [add('a', 'a 1'), add('a', 'a 2'), add('b', 'b 1')]
    gate.moveWaiting('a', other)
    await Promise.all(done.slice(0, 2))
    expect(log).toEqual(['running', 'a 1', 'a 2'])
    await end()
    expect(log.at(-1)).toBe('b 1')
    for (const one of [gate, other]) expect(one.sizes()).toEqual({ running: 0, waiting: 0 })
  })
})

describe('refused work has not begun, and other work is not affected', () => {
  test('a key with its share waiting is refused with 429, and others are not', async () => {
    const refused: string[] = []
    const { log, add, end } = held({ waitingPerKey: 2, onRefusal: (key) => refused.push(key) })
    void add('a', 'a 1')
    void add('a', 'a 2')
    await expect(add('a', 'a 3')).rejects.toMatchObject(rateLimited)
    void add('b', 'b 1')
    await end()
    expect(log).toEqual(['running', 'a 1', 'b 1', 'a 2'])
    expect(refused).toEqual(['a'])
  })

  test('if the gate is full, a key with nothing waiting displaces the newest of the key with most', async () => {
    const { log, add, end, gate } = held({ waiting: 3 })
    const [, newest] = [add('a', 'a 1'), add('a', 'a 2'), add('b', 'b 1')]
    await expect(add('b', 'b 2')).rejects.toMatchObject(unavailable)
    void add('c', 'c 1')
    await expect(newest).rejects.toMatchObject(rateLimited)
    // Now each of three keys has one, so none can be displaced.
    await expect(add('d', 'd 1')).rejects.toMatchObject({ ...unavailable, isCounted: false })
    expect(gate.sizes()).toEqual({ running: 1, waiting: 3 })
    await end()
    expect(log).toEqual(['running', 'a 1', 'b 1', 'c 1'])
  })

  test('work that has waited too long is refused with 503', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { log, add, end } = held({ maxWaitMs: 5_000 })
    const early = add('a', 'early')
    vi.advanceTimersByTime(3_000)
    const late = add('a', 'late')
    vi.advanceTimersByTime(2_000)
    await expect(early).rejects.toMatchObject(unavailable)
    await end()
    await late
    vi.advanceTimersByTime(60_000)
    expect(log).toEqual(['running', 'late'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('a waiter whose client is gone leaves at once, and makes room', async () => {
    const { log, add, end, gate } = held({ waiting: 1 })
    const gone = new AbortController()
    const waiting = add('a', 'a 1', gone.signal)
    gone.abort(new Error('client gone'))
    expect(gate.sizes().waiting).toBe(0)
    await expect(waiting).rejects.toThrow('client gone')
    await expect(add('a', 'a 2', gone.signal)).rejects.toThrow('client gone')
    void add('a', 'a 3')
    await end()
    expect(log).toEqual(['running', 'a 3'])
  })
})
