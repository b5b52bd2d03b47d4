import { describe, expect, inject } from 'vitest'
import type { Api } from '../contract/support/api.ts'
import { finishedImport } from '../contract/support/imports.ts'
import { newOrganization, succeed } from '../contract/support/organization.ts'
import { beside, usualRequests } from './support/beside.ts'
import { readAgain } from './support/read-again.ts'
import { settled, test } from './support/walls.fixture.ts'

const LOCATIONS = 1_500
const ASSETS = 2_000
/** Of each kind, all at once. */
const READS = 70
/** A user may send 1 200 at once. */
const MOST = 1_050
/** An organization with a chain of locations, each in the one before, and with assets of long descriptions. */
async function newCostlyOrganization(api: Api) {
  const { admin } = await newOrganization(api)
  const chain = Array.from({ length: LOCATIONS }, (_, i) => `L${i},Level ${i},${i > 0 ? `L${i - 1}` : ''}`)
  const wide = Array.from({ length: ASSETS }, (_, i) => `W${i},Crate ${i},${'aaa '.repeat(250)}${i}`)
  const files = {
    locations: ['external_key,name,parent_external_key', ...chain],
    assets: ['external_key,name,description', ...wide],
  }
  for (const resource of ['locations', 'assets'] as const)
    expect(await finishedImport(api, admin, resource, files[resource].join('\n'))).toMatchObject({
      failed: 0,
      created: files[resource].length - 1,
    })
  const root = (
    await succeed(api.call('listLocations', { token: admin, query: { external_key: 'L0' } }))
  ).body.data.at(0)?.id
  return { admin, root }
}

function costlyReads({ admin, root }: Awaited<ReturnType<typeof newCostlyOrganization>>) {
  const paths = [
    `locations/${root}/descendants?limit=200&offset=${LOCATIONS - 200}`,
    `reports/asset-locations?location_id=${root}&include_descendants=true`,
    'assets?q=aaaa%20aaab',
  ]
  return {
    urls: Array.from({ length: READS }, () =>
      paths.map((path) => `${inject('urls').base}/api/v1/${path}`),
    ).flat(),
    headers: { authorization: `Bearer ${admin}`, 'user-agent': 'walls/1' },
    most: MOST,
  }
}

describe('F2 costly reads of one organization', () => {
  test('F2 another organization is answered while they run', async ({ api, watcher, rows }) => {
    const attacker = await newCostlyOrganization(api)
    await settled(watcher, rows)
    const requests = await usualRequests(api)
    const counts = await beside('costly reads', requests, () => readAgain(costlyReads(attacker)))
    expect(counts[200]).toBeGreaterThan(0)
    await settled(watcher, rows)
  })
})
