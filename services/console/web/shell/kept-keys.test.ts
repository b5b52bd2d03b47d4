import { expect, test } from 'vitest'
import { keptKeys } from './kept-keys.ts'

const KEY = {
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  getModifierState: () => false,
}

/** A page on which keys are pressed. Tells which of them nobody kept. */
function page() {
  const target = new EventTarget()
  return {
    target: target as Document,
    press: (keys: readonly (string | (Partial<typeof KEY> & { key: string }))[]) =>
      keys.filter((key) => {
        const pressed = new Event('keydown', { cancelable: true })
        Object.assign(pressed, KEY, typeof key === 'string' ? { key } : key)
        return target.dispatchEvent(pressed)
      }),
  }
}

test('letters are kept until they are taken, and then typed as usual', () => {
  const { target, press } = page()
  const keys = keptKeys(target, () => undefined)
  expect(press(['a'])).toEqual(['a'])
  keys.start()
  keys.start()
  expect(press(['E', '2', ' ', 'x', 'Backspace', 'Shift', '8'])).toEqual(['Shift'])
  expect(keys.take()).toEqual({ text: 'E2 8', isEntered: false })
  expect(press(['b'])).toEqual(['b'])
  expect(keys.take()).toEqual({ text: '', isEntered: false })
})

test('Enter ends a scan; what follows is not part of it', () => {
  const { target, press } = page()
  const keys = keptKeys(target, () => undefined)
  keys.start()
  press(['A', '1', 'Enter', 'Enter', 'x', 'Tab'])
  expect(keys.take()).toEqual({ text: 'A1', isEntered: true })
})

test('Escape ends it, and shortcuts are not text', () => {
  let ended = 0
  const { target, press } = page()
  const keys = keptKeys(target, () => (ended += 1))
  keys.start()
  const shortcut = { key: 'k', ctrlKey: true }
  const altGr = { key: '@', ctrlKey: true, altKey: true, getModifierState: () => true }
  expect(press([shortcut, altGr, 'a'])).toEqual([shortcut])
  press(['Escape'])
  expect([ended, press(['b']), keys.take().text]).toEqual([1, ['b'], ''])
})
