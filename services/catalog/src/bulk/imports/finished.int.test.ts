import { catalogEventData } from '@whereabouts/contracts/messages/catalog-events'
import { expect } from 'vitest'
import { test } from '../../../test/imports.fixture.ts'
import { failImport } from './batch.ts'
import { claimImport } from './claims.queries.ts'

const csv = (...names: string[]) => ['name', ...names].join('\n')

test('D13.1 each import that ends has one event with what the API shows, three times over; a dry run has none', async ({
  catalog,
  imports,
}) => {
  for (const name of ['one', 'two', 'three']) {
    await imports.run('assets', csv(name), { dryRun: true })
    const { id } = await imports.run('assets', csv(name, '"  "'))
    const view = (await catalog.get(`/imports/${id}`)).json().data
    const events = await catalog.takeEvents()
    expect(events.map(({ type }) => type)).toEqual(['asset.created', 'import.finished'])
    const { data, occurred_at } = events[1]!
    expect(JSON.parse(JSON.stringify(catalogEventData['import.finished'].parse(data)))).toEqual({
      import: view,
    })
    expect(data).toEqual({ import: view })
    expect(view).toMatchObject({ state: 'done', created: 1, failed: 1 })
    expect(Date.parse(occurred_at)).toBe(Date.parse(view.finished_at))
  }
})

test('D13.1 so has one that is cancelled, and one that fails', async ({ catalog, files, otherOrg }) => {
  const { id } = await files.send('assets', csv('never'))
  await catalog.delete(`/imports/${id}`)
  await catalog.delete(`/imports/${id}`) // the second removes it
  const broken = await files.send('assets', csv('broken'))
  const across = catalog.database.worker.db
  const worker = '00000000-0000-4000-8000-000000000001'
  const claim = await claimImport(across, worker)
  expect(claim?.id).toBe(broken.id)
  for (const _ of [1, 2, 3])
    await catalog.tenants.transaction(catalog.orgId, (tx) => failImport(tx, claim!, worker))
  expect(await catalog.takeEvents()).toMatchObject([
    { type: 'import.finished', data: { import: { id, state: 'cancelled' } } },
    { type: 'import.finished', data: { import: { id: broken.id, state: 'failed' } } },
  ])
  expect(await catalog.takeEvents(otherOrg)).toEqual([])
})
