import { OrgLimits } from '@whereabouts/contracts/messages/keys-state'
import { expect } from 'vitest'
import { ELSEWHERE, test, type Keys } from '../../test/keys.fixture.ts'
import type { Request } from '../ops/arguments/request.ts'
import { perform } from '../ops/perform.ts'

/** The lines or the JSON that the command prints. */
async function run(keys: Keys, request: Request): Promise<string> {
  const printed: string[] = []
  await perform(request, {
    db: keys.database.db,
    signingKeySecret: () => keys.secret,
    readPassword: async () => '',
    publishTimeoutMs: 100,
    publicUrl: undefined,
    issuer: undefined,
    reloadBrokers: async () => [],
    usageElsewhere: async () => ELSEWHERE,
    print: (text) => printed.push(text),
  })
  return printed[0] ?? ''
}

const limit = (org: number, name: 'readers' | 'tags' | 'api_keys', value: number | null): Request => ({
  command: 'org limit',
  org,
  name,
  value,
  json: true,
})

test('an organization sees what it stores here and elsewhere, and its limits', async ({ keys }) => {
  const org = await keys.signUp()
  await keys.createKey(org)
  const { data } = (await keys.send('/api/v1/limits', { caller: keys.member(org) })).json()
  expect(data).toEqual([...ELSEWHERE, { name: 'api_keys', limit: 200, used: 1 }])
})

test('limits of the operator are published to the services that count, each once more', async ({ keys }) => {
  const { orgId } = await keys.signUp()
  const published = async () => {
    const { rows } = await keys.database.pool.query<{ payload: unknown }>(
      `select payload from outbox where subject = $1 order by id`,
      [`keys.org.${orgId}`],
    )
    return rows.map(({ payload }) => OrgLimits.parse(payload))
  }
  await run(keys, limit(orgId, 'readers', 5))
  await run(keys, limit(orgId, 'tags', 9))
  await run(keys, limit(orgId, 'readers', null))
  await run(keys, limit(orgId, 'api_keys', 3))
  const states = await published()
  expect(states.slice(-4).map(({ limits }) => limits)).toEqual([
    { readers: 5 },
    { readers: 5, tags: 9 },
    { tags: 9 },
    { tags: 9 },
  ])
  const revisions = states.map(({ revision }) => revision)
  expect(revisions).toEqual(revisions.toSorted((a, b) => a - b))
  const usage = JSON.parse(
    await run(keys, { command: 'org usage', org: orgId, limit: 9, offset: 0, json: true }),
  )
  expect(usage.data).toContainEqual({ name: 'api_keys', limit: 3, used: 0 })
  await run(keys, limit(orgId, 'api_keys', null))
  const restored = JSON.parse(
    await run(keys, { command: 'org usage', org: orgId, limit: 9, offset: 0, json: true }),
  )
  expect(restored.data).toContainEqual({ name: 'api_keys', limit: 200, used: 0 })
})

test('operators see the fullest limit of each organization', async ({ keys }) => {
  const { orgId } = await keys.signUp()
  const shown = await run(keys, {
    command: 'org usage',
    org: undefined,
    limit: 1_000,
    offset: 0,
    json: false,
  })
  const line = shown.split('\n').find((text) => text.startsWith(String(orgId)))
  expect(line).toMatch(/assets +250 +1000 +25 %/)
})
