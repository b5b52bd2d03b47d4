import { describe, expect, test } from 'vitest'
import { addValues, type Draft, EMPTY_DRAFT, removeValues } from './draft.ts'
import { openDraft } from './draft-store.ts'

const add =
  (...values: string[]) =>
  (draft: Draft) =>
    addValues(draft, values).draft

/** A browser with tabs that share a storage of `room` characters. */
function browser(room = Number.POSITIVE_INFINITY) {
  const stored = new Map<string, string>()
  const tabs = new Set<() => void>()
  const tab = () => {
    let own = () => {}
    const written = () => [...tabs].filter((each) => each !== own).forEach((each) => each())
    const keeper = {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, text: string) => {
        if (text.length > room) throw new Error('QuotaExceededError')
        stored.set(name, text)
        written()
      },
      removeItem: (name: string) => {
        stored.delete(name)
        written()
      },
    }
    return openDraft('draft', keeper, (onWrite) => {
      own = onWrite
      tabs.add(onWrite)
      return () => tabs.delete(onWrite)
    })
  }
  return { stored, tab }
}

describe('a draft', () => {
  test('is there again after a reload, until it is empty', () => {
    const { stored, tab } = browser()
    const before = tab()
    before.change(add('A', 'B'))
    const after = tab()
    expect([after.get().values, after.isKept()]).toEqual([['B', 'A'], true])
    after.change((draft) => removeValues(draft, ['A', 'B']))
    expect([after.get(), stored.size]).toEqual([EMPTY_DRAFT, 0])
  })

  test('of two tabs has what either adds, and shows changes of the other one', () => {
    const { tab } = browser()
    const [one, two] = [tab(), tab()]
    let changes = 0
    const stop = two.subscribe(() => (changes += 1))
    one.change(add('A'))
    expect([two.get().values, changes]).toEqual([['A'], 1])
    stop()
    one.change(add('B')) // `two` does not listen now
    two.change(add('C'))
    expect([one, two].map((each) => (each.change(add('D')), each.get().values))).toEqual([
      ['D', 'C', 'B', 'A'],
      ['D', 'C', 'B', 'A'],
    ])
    expect(changes).toBe(1)
  })

  test('is the same object until it changes', () => {
    const store = browser().tab()
    store.change(add('A'))
    const draft = store.get()
    store.change(add('A'))
    store.subscribe(() => {})
    expect(store.get()).toBe(draft)
  })

  test('that does not fit is kept by the page, which says so', () => {
    const store = browser(70).tab()
    store.change(add('A'))
    expect(store.isKept()).toBe(true)
    store.change(add('B'.repeat(50)))
    store.change(add('C'))
    expect([store.isKept(), store.get().values]).toEqual([false, ['C', 'B'.repeat(50), 'A']])
    store.change((draft) => removeValues(draft, ['B'.repeat(50)]))
    expect([store.isKept(), store.get().values]).toEqual([true, ['C', 'A']])
  })

  test('without storage is kept by the page', () => {
    const store = openDraft('draft', undefined, () => () => {})
    store.change(add('A'))
    expect([store.isKept(), store.get().values]).toEqual([false, ['A']])
    store.change(() => EMPTY_DRAFT)
    expect(store.isKept()).toBe(true)
  })
})
