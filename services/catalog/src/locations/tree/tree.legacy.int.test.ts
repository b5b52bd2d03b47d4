import type { LegacyLocationView } from '@whereabouts/contracts/legacy/locations'
import { expect } from 'vitest'
import { test } from '../../../test/legacy.fixture.ts'

const branches = ['ancestors', 'children', 'descendants'] as const

test('D5.7 ancestors, children and descendants of a key have the current order, and a path', async ({
  legacy,
  catalog,
}) => {
  const site = await catalog.location({ external_key: 'SITE' })
  const hall = await catalog.location({ external_key: 'HALL', name: 'b', parent_id: site.id })
  await catalog.location({ external_key: 'YARD', name: 'a', parent_id: site.id })
  await catalog.location({ external_key: 'DOCK', parent_id: hall.id, valid_from: '2999-01-01T00:00:00Z' })
  const paths = async (path: string) => {
    const { data, total_count } = (await legacy.get(path)).json<{
      data: LegacyLocationView[]
      total_count: number
    }>()
    for (const one of data) expect(one).toEqual(await legacy.location(one.identifier))
    return [total_count, ...data.map((one) => one.path)]
  }
  expect(await paths('/locations/DOCK/ancestors')).toEqual([2, 'SITE', 'SITE.HALL'])
  expect(await paths('/locations/SITE/children')).toEqual([2, 'SITE.YARD', 'SITE.HALL'])
  const inside = ['SITE.YARD', 'SITE.HALL', 'SITE.HALL.DOCK']
  expect(await paths('/locations/SITE/descendants')).toEqual([3, ...inside])
  expect(await paths('/locations/SITE/descendants?limit=1&offset=1')).toEqual([3, 'SITE.HALL'])
  expect(await paths('/locations/YARD/children')).toEqual([0])
})

test.for(branches)(
  'D5.7 D7.3 %s of a key: sort and filters are refused, a foreign or deleted key answers 404',
  async (branch, { legacy, catalog, otherOrg }) => {
    await catalog.location({ external_key: 'SITE' })
    const { fields } = (await legacy.get(`/locations/SITE/${branch}?sort=name&identifier=A&limit=0`)).json()
      .error
    expect(
      fields.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`).toSorted(),
    ).toEqual(['identifier invalid_context', 'limit too_small', 'sort invalid_value'])
    const { id } = await catalog.location({ external_key: 'GONE' })
    await catalog.delete(`/locations/${id}`)
    await catalog.location({ external_key: 'THEIRS' }, { org: otherOrg })
    for (const key of ['GONE', 'THEIRS', 'NOWHERE'])
      expect((await legacy.get(`/locations/${key}/${branch}`)).statusCode).toBe(404)
    expect((await legacy.get(`/locations/a_b/${branch}`)).statusCode).toBe(400)
  },
)
