import { expect, test } from 'vitest'
import { onAbort } from './on-abort.ts'

test('every listener that was not removed is called once', () => {
  const controller = new AbortController()
  const called: string[] = []
  onAbort(controller.signal, () => called.push('a'))
  const removeListener = onAbort(controller.signal, () => called.push('b'))
  onAbort(controller.signal, () => called.push('c'))
  removeListener()
  controller.abort()
  controller.abort()
  expect(called).toEqual(['a', 'c'])
})

test('a listener may remove others, and each signal has its own listeners', () => {
  const [one, other] = [new AbortController(), new AbortController()]
  const called: string[] = []
  onAbort(one.signal, () => removeListener())
  const removeListener = onAbort(one.signal, () => called.push('removed'))
  onAbort(other.signal, () => called.push('other'))
  one.abort()
  expect(called).toEqual([])
  other.abort()
  expect(called).toEqual(['other'])
})
