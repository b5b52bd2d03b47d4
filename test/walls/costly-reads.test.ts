import { fork } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, inject } from 'vitest'
import { quantile } from '../bench/load/figures.ts'
import type { Api } from '../contract/support/api.ts'
import { finishedImport } from '../contract/support/imports.ts'
import { newOrganization, succeed } from '../contract/support/organization.ts'
import type { ReadCounts, ReadJob } from './support/read-process.ts'
import { settled, test } from './support/walls.fixture.ts'

const LOCATIONS = 1_500
const ASSETS = 2_000
/** Of each kind, all at once. */
const READS = 70
/** A user may send 1 200 at once. */
const MOST = 1_050
/** Of the requests of the other organization. If it waited for all costly reads before each reply, it would finish fewer. */
const UNDISTURBED_ROUNDS = 60
const ROUNDS_DURING = 10
/** Its user may send 1 200 requests at once. */
const MOST_ROUNDS_DURING = 300

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

/** Sends the reads until their user has sent `MOST`. Resolves with the number of replies of each status. */
async function readAgain({ admin, root }: Awaited<ReturnType<typeof newCostlyOrganization>>) {
  const paths = [
    `locations/${root}/descendants?limit=200&offset=${LOCATIONS - 200}`,
    `reports/asset-locations?location_id=${root}&include_descendants=true`,
    'assets?q=aaaa%20aaab',
  ]
  const job: ReadJob = {
    urls: Array.from({ length: READS }, () =>
      paths.map((path) => `${inject('urls').base}/api/v1/${path}`),
    ).flat(),
    headers: { authorization: `Bearer ${admin}`, 'user-agent': 'walls/1' },
    most: MOST,
  }
  const child = fork(new URL('support/read-process.ts', import.meta.url), [JSON.stringify(job)])
  const [counts] = (await once(child, 'message')) as [ReadCounts]
  return counts
}

describe('F2 costly reads of one organization', () => {
  test('F2 another organization is answered while they run', async ({ api, victim, watcher, rows }) => {
    const attacker = await newCostlyOrganization(api)
    await settled(watcher, rows)
    const { admin: token } = victim.org
    const requests = [
      () => api.call('listAssets', { token }),
      () => api.call('listAssetLocations', { token }),
      () => api.call('createAsset', { token, body: { name: 'Made during an attack' } }),
    ]
    const round = async () => {
      const answers: { status: number; ms: number }[] = []
      for (const request of requests) {
        const begun = performance.now()
        const { status } = await request()
        answers.push({ status, ms: performance.now() - begun })
      }
      return answers
    }

    const before: { status: number; ms: number }[] = []
    for (let i = 0; i < UNDISTURBED_ROUNDS; i += 1) before.push(...(await round()))

    let isOver = false
    const attack = readAgain(attacker).finally(() => (isOver = true))
    const during: { status: number; ms: number }[] = []
    while (!isOver && during.length < MOST_ROUNDS_DURING * requests.length) during.push(...(await round()))
    const counts = await attack

    const [undisturbed, disturbed] = [before, during].map((answers) =>
      quantile(
        answers.map(({ ms }) => ms),
        0.99,
      ),
    ) as [number, number]
    const ratio = (disturbed / undisturbed).toFixed(1)
    console.log(
      `walls: ${during.length} requests beside costly reads (${JSON.stringify(counts)}), p99 ${undisturbed.toFixed(0)} ms undisturbed, ${disturbed.toFixed(0)} ms during them, ${ratio} times`,
    )
    expect(during.filter(({ status }) => status !== 200 && status !== 201)).toEqual([])
    expect(during.length).toBeGreaterThan(ROUNDS_DURING * requests.length)
    expect(counts[200]).toBeGreaterThan(0)
    await settled(watcher, rows)
  })
})
