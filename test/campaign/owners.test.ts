import { expect, test } from 'vitest'
import { Owners } from './owners.ts'
import { reasonOf } from './verdict.ts'

test('all parts are closed, the last one first, and those that fail or hang are named', async () => {
  const owners = new Owners()
  const closed: string[] = []
  owners.add('servers', () => closed.push('servers'))
  owners.add('feed', () => new Promise(() => undefined))
  owners.add('load', () => {
    throw new Error('it is stuck')
  })
  owners.add('services', async () => closed.push('services'))
  expect(await owners.close(20)).toEqual(['load: Error: it is stuck', 'feed: not closed after 0.02 s'])
  expect(closed).toEqual(['services', 'servers'])
  expect(await owners.close()).toEqual([])
})

test('the reason of an error names its causes', () => {
  const error = new Error('no login', { cause: new Error('', { cause: 'refused' }) })
  expect(reasonOf(error)).toBe("no login (Error ('refused'))")
  expect(reasonOf(new Error('it did not start:\n  no memory', { cause: new Error('no memory') }))).toBe(
    'it did not start: no memory',
  )
})
