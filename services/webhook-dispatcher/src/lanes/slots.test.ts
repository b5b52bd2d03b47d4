import { expect, test } from 'vitest'
import { HandedBack } from './handed-back.ts'
import { Slots } from './slots.ts'

const never = new AbortController().signal

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { wait: () => promise, open: resolve }
}

test('no more than the limit run at once, and those who wait go in order of asking', async () => {
  const slots = new Slots(2)
  const began: string[] = []
  const gates = { a: gate(), b: gate(), c: gate(), d: gate() }
  const runs = Object.entries(gates).map(([name, { wait }]) =>
    slots.use(never, () => {
      began.push(name)
      return wait()
    }),
  )
  await expect.poll(() => began).toEqual(['a', 'b'])
  gates.b.open()
  await expect.poll(() => began).toEqual(['a', 'b', 'c'])
  gates.a.open()
  await expect.poll(() => began).toEqual(['a', 'b', 'c', 'd'])
  gates.c.open()
  gates.d.open()
  await Promise.all(runs)
  expect(slots.waiting).toBe(0)
})

test('a slot whose work failed is free again', async () => {
  const slots = new Slots(1)
  await expect(slots.use(never, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await expect(slots.use(never, () => Promise.resolve(1))).resolves.toBe(1)
})

test('stopping hands back who waits, and lets who runs end', async () => {
  const slots = new Slots(1)
  const stopping = new AbortController()
  const { wait, open } = gate()
  const running = slots.use(stopping.signal, wait)
  const waiting = slots.use(stopping.signal, () => Promise.resolve())
  stopping.abort()
  await expect(waiting).rejects.toThrow(HandedBack)
  await expect(slots.use(stopping.signal, () => Promise.resolve())).rejects.toThrow(HandedBack)
  open()
  await expect(running).resolves.toBeUndefined()
})
