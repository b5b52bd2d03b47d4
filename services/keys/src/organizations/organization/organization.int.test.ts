import { OrgRetention } from '@whereabouts/contracts/messages/keys-state'
import { expect } from 'vitest'
import { test, type Keys, type Org } from '../../../test/keys.fixture.ts'

const rename = (keys: Keys, org: Org, name: unknown, caller = keys.admin(org)) =>
  keys.send(`/api/v1/orgs/${org.orgId}`, { method: 'PATCH', body: { name }, caller })

test('D15.3 an administrator renames the organization, and the others are told', async ({ keys }) => {
  const org = await keys.signUp()
  const states = async () => {
    const subject = `keys.org.${org.orgId}`
    const rows = await keys.database.db.selectFrom('outbox').select('payload').where('subject', '=', subject).orderBy('id').execute() // oxfmt-ignore
    return rows.map(({ payload }) => payload)
  }
  const response = await rename(keys, org, 'Acme Ost')
  expect(response.statusCode).toBe(200)
  expect(response.json()).toEqual({
    data: { id: org.orgId, name: 'Acme Ost', created_at: org.session.org.created_at },
  })
  expect(await states()).toMatchObject([{ name: 'Acme' }, { name: 'Acme Ost' }])
  expect((await rename(keys, org, 'Acme Ost')).statusCode).toBe(200)
  expect(await states()).toHaveLength(2)
})

test('only an administrator of the organization renames it, to a name that is one line', async ({ keys }) => {
  const [org, other] = [await keys.signUp(), await keys.signUp()]
  const ben = await keys.join(org)
  expect((await rename(keys, org, 'Mine', keys.member(ben))).statusCode).toBe(403)
  expect((await rename(keys, org, 'Mine', keys.admin(ben))).statusCode).toBe(403) // demoted a moment ago
  expect((await rename(keys, org, 'Mine', keys.admin(other))).statusCode).toBe(403)
  for (const name of ['', ' Acme', 'a\nb', 5])
    expect((await rename(keys, org, name)).json().error.fields).toMatchObject([{ field: 'name' }])
})

test('D22.2 an administrator shortens the history of each type; what is absent stays, null is the default', async ({
  keys,
}) => {
  const [org, other] = [await keys.signUp(), await keys.signUp()]
  const path = `/api/v1/orgs/${org.orgId}`
  const patch = (retention_days: unknown, caller = keys.admin(org)) =>
    keys.send(path, { method: 'PATCH', body: { retention_days }, caller })
  const announced = async () => {
    const { rows } = await keys.database.pool.query<{ payload: unknown }>(
      'select payload from outbox where subject = $1 order by id',
      [`keys.org.${org.orgId}`],
    )
    return rows.map(({ payload }) => OrgRetention.parse(payload))
  }
  const shown = async (caller = keys.member(org)) => (await keys.send(path, { caller })).json().data
  const unset = { asset: null, person: null, inventory: null }
  expect(await shown()).toEqual({
    id: org.orgId,
    name: 'Acme',
    created_at: org.session.org.created_at,
    timezone: 'UTC',
    retention_days: unset,
  })

  for (const [changes, expected] of [
    [{ person: 30 }, { ...unset, person: 30 }],
    [{ person: 30 }, { ...unset, person: 30 }],
    [{ inventory: 400 }, { ...unset, person: 30, inventory: 400 }],
    [
      { person: 7, asset: 60 },
      { asset: 60, person: 7, inventory: 400 },
    ],
    [{}, { asset: 60, person: 7, inventory: 400 }],
    [
      { asset: null, inventory: null },
      { ...unset, person: 7 },
    ],
  ] as const) {
    const response = await patch(changes)
    expect(response.json().data).toMatchObject({ name: 'Acme', retention_days: expected })
    expect((await shown()).retention_days).toEqual(expected)
  }
  await rename(keys, org, 'Acme Ost')
  expect((await shown()).retention_days).toEqual({ ...unset, person: 7 })
  const states = await announced()
  expect(states.map(({ retention_days }) => retention_days)).toEqual([
    {},
    { person: 30 },
    { person: 30, inventory: 400 },
    { asset: 60, person: 7, inventory: 400 },
    { person: 7 },
    { person: 7 },
  ])
  const revisions = states.map(({ revision }) => revision)
  expect(revisions).toEqual([...new Set(revisions)].toSorted((one, next) => one - next))
  expect(
    (await keys.send(`/api/v1/orgs/${other.orgId}`, { caller: keys.member(other) })).json().data,
  ).toMatchObject({
    retention_days: unset,
  })
})

test('D22.2 a history longer than that of the installation, or too short, is refused with the bound', async ({
  keys,
}) => {
  const org = await keys.signUp()
  const ben = await keys.join(org)
  const patch = (retention_days: unknown, caller = keys.admin(org)) =>
    keys.send(`/api/v1/orgs/${org.orgId}`, { method: 'PATCH', body: { retention_days }, caller })
  const refused = async (value: unknown) => (await patch(value)).json().error?.fields
  expect(await refused({ person: 401, asset: 400, inventory: 5_000 })).toEqual(
    ['person', 'inventory'].map((type) => ({
      field: `retention_days.${type}`,
      code: 'too_large',
      message: `retention_days.${type} must be ≤ 400, the days for which this installation keeps history`,
      params: { max: 400 },
    })),
  )
  expect(await refused({ person: 6 })).toMatchObject([{ code: 'too_small', params: { min: 7 } }])
  for (const value of [{ person: 7.5 }, { person: '30' }, { people: 30 }, 30, null, []])
    expect(await refused(value), JSON.stringify(value)).toHaveLength(1)
  expect((await patch({ person: 30 }, keys.member(ben))).statusCode).toBe(403)
  expect((await patch({ person: 30 }, keys.admin(ben))).statusCode).toBe(403)
  const { data } = (await keys.send(`/api/v1/orgs/${org.orgId}`, { caller: keys.admin(org) })).json()
  expect(data.retention_days).toEqual({ asset: null, person: null, inventory: null })
})

test('D15.3 an administrator sets the time zone: an IANA name, which members see and others are told', async ({
  keys,
}) => {
  const org = await keys.signUp()
  const path = `/api/v1/orgs/${org.orgId}`
  const patch = (timezone: unknown, caller = keys.admin(org)) =>
    keys.send(path, { method: 'PATCH', body: { timezone }, caller })
  for (const timezone of ['Europe/Berlin', 'America/New_York', 'UTC']) {
    expect((await patch(timezone)).json().data).toMatchObject({ name: 'Acme', timezone })
    expect((await keys.send(path, { caller: keys.member(org) })).json().data.timezone).toBe(timezone)
    const { rows } = await keys.database.pool.query<{ payload: unknown }>(
      'select payload from outbox where subject = $1 order by id desc limit 1',
      [`keys.org.${org.orgId}`],
    )
    expect(rows[0]?.payload).toMatchObject({ timezone })
  }
  for (const timezone of ['', 'Europe/Nowhere', '+08:00', 'GMT+1', 5, null, 'x'.repeat(65)])
    expect((await patch(timezone)).json().error.fields).toMatchObject([{ field: 'timezone' }])
  expect((await patch('Europe/Berlin', keys.member(await keys.join(org)))).statusCode).toBe(403)
})
