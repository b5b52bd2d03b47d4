import { expect, test } from 'vitest'
import { onAbort } from './on-abort.ts'

test('every listener that was not taken back is called, once', () => {
  const controller = new AbortController()
  const called: string[] = []
  onAbort(controller.signal, () => called.push('a'))
  const takeBack = onAbort(controller.signal, () => called.push('b'))
  onAbort(controller.signal, () => called.push('c'))
  takeBack()
  controller.abort()
  controller.abort()
  expect(called).toEqual(['a', 'c'])
})

test('a listener may take back others, and signals are apart', () => {
  const [one, other] = [new AbortController(), new AbortController()]
  const called: string[] = []
  onAbort(one.signal, () => takeBack())
  const takeBack = onAbort(one.signal, () => called.push('taken back'))
  onAbort(other.signal, () => called.push('other'))
  one.abort()
  expect(called).toEqual([])
  other.abort()
  expect(called).toEqual(['other'])
})
