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
