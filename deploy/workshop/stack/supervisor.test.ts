import { expect, test } from 'vitest'
import { type Part, supervise } from './supervisor.ts'

/** A part whose process the test ends. */
function fakePart(name: string, failures: string[] = []) {
  let end = Promise.withResolvers<string>()
  let starts = 0
  const part: Part = {
    name,
    ended: () => end.promise,
    async start() {
      starts += 1
      const failure = failures.shift()
      if (failure !== undefined) throw new Error(failure)
      end = Promise.withResolvers()
    },
    logs: () => 'PORT must be a number',
  }
  return { part, end: (how: string) => end.resolve(how), starts: () => starts }
}

const pauses = { firstMs: 1, longestMs: 4, healthyAfterMs: 60_000 }

test('a part that ends is started again, and a line says why and when', async () => {
  const [one, other] = [fakePart('catalog'), fakePart('keys')]
  const lines: string[] = []
  const supervisor = supervise([one.part, other.part], { say: (line) => lines.push(line), pauses })
  one.end('SIGKILL')
  await expect.poll(one.starts).toBe(1)
  await supervisor.stop()
  expect(lines).toEqual(['catalog ended (SIGKILL). It starts again in 0.001 s.'])
  expect(supervisor.states()).toEqual([
    { name: 'catalog', restarts: 1, isGivenUp: false, lastEnd: 'SIGKILL' },
    { name: 'keys', restarts: 0, isGivenUp: false },
  ])
})

test('the pause doubles up to the longest, also over starts that fail', async () => {
  const { part, end, starts } = fakePart('nats', ['taken', 'taken', 'taken'])
  const lines: string[] = []
  const supervisor = supervise([part], { say: (line) => lines.push(line), pauses })
  end('exit code 1')
  await expect.poll(starts).toBe(4)
  await supervisor.stop()
  expect(lines).toEqual([
    'nats ended (exit code 1). It starts again in 0.001 s.',
    'nats ended (start failed: taken). It starts again in 0.002 s.',
    'nats ended (start failed: taken). It starts again in 0.004 s.',
    'nats ended (start failed: taken). It starts again in 0.004 s.',
  ])
})

test('the pause is short again after a time of health', async () => {
  const { part, end, starts } = fakePart('nats')
  const lines: string[] = []
  const always = { ...pauses, healthyAfterMs: -1 }
  const supervisor = supervise([part], { say: (line) => lines.push(line), pauses: always })
  end('SIGKILL')
  await expect.poll(starts).toBe(1)
  end('SIGKILL')
  await expect.poll(starts).toBe(2)
  await supervisor.stop()
  expect(lines[1]).toBe(lines[0])
})

test('a wrong setting is reported with the log and not tried again', async () => {
  const { part, end, starts } = fakePart('catalog')
  const lines: string[] = []
  const supervisor = supervise([part], { say: (line) => lines.push(line), pauses })
  end('exit code 78')
  await expect.poll(() => lines).toHaveLength(1)
  await supervisor.stop()
  expect(lines[0]).toMatch(/catalog ended \(exit code 78\): a setting is wrong.*\nPORT must be a number/)
  expect([starts(), supervisor.states()[0]?.isGivenUp]).toEqual([0, true])
})

test('nothing is started after the stop, also from within a pause', async () => {
  const { part, end, starts } = fakePart('catalog')
  const lines: string[] = []
  const long = { ...pauses, firstMs: 60_000 }
  const supervisor = supervise([part], { say: (line) => lines.push(line), pauses: long })
  end('SIGTERM')
  await expect.poll(() => lines).toHaveLength(1)
  await supervisor.stop()
  expect(starts()).toBe(0)
})
