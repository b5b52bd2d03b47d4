import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { buildingOf } from '../areas/floor/rooms.ts'
import { shareUnchanged } from './query-data.ts'

const rows = [
  { id: 1, external_key: 'HALL', name: 'Hall', parent_id: null },
  { id: 2, external_key: 'AISLE-1', name: 'Aisle 1', parent_id: 1 },
  { id: 3, external_key: 'AISLE-2', name: 'Aisle 2', parent_id: 1 },
]

test('keeps what did not change', () => {
  const before = { rows: structuredClone(rows), total: 3 }
  const shared = shareUnchanged(before, { rows: structuredClone(rows), total: 4 }) as typeof before
  expect(shared).toEqual({ rows, total: 4 })
  expect(shared.rows).toBe(before.rows)
})

test('takes data that has the same part twice', () => {
  const same = [1, 2]
  expect(shareUnchanged(undefined, { a: same, b: [same, same] })).toEqual({ a: same, b: [same, same] })
})

test.for<{ name: string; data: () => unknown }>([
  { name: 'rooms that name their parent', data: () => ({ roots: buildingOf(rows).roots }) },
  { name: 'a list in itself', data: () => circle() },
])('a query fails at once with $name, also after `select`', async ({ data }) => {
  const client = new QueryClient({
    defaultOptions: { queries: { retry: false, structuralSharing: shareUnchanged } },
  })
  const queryFn = data
  await expect(client.fetchQuery({ queryKey: ['circle'], queryFn })).rejects.toThrow(
    'must not contain itself',
  )
  const observer = new QueryObserver(client, {
    queryKey: ['rows'],
    queryFn: () => rows,
    select: data,
  })
  const stop = observer.subscribe(() => undefined)
  await expect.poll(() => observer.getCurrentResult().error?.message).toContain('must not contain itself')
  stop()
})

function circle(): unknown[] {
  const list: unknown[] = []
  list.push(list)
  return list
}
