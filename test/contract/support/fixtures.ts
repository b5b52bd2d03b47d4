import { fullDescription } from '@whereabouts/contracts/description/openapi'
import { inject, test as base } from 'vitest'
import { createApi } from './api.ts'
import { exhaust } from './buckets.ts'
import { readDescriptions } from './description.ts'
import { send } from './http.ts'
import { newOrganization, type Organization } from './organization.ts'

/** The served descriptions, and the full one for the console's operations, which the served ones lack. */
async function readDescription() {
  const headers = { 'user-agent': 'contract-suite/1' }
  const paths = ['/api/openapi.json', '/legacy/api/openapi.json']
  const served = await Promise.all(
    paths.map((path) => send(inject('urls').base, { method: 'GET', path, headers })),
  )
  const found = served.filter(({ status }) => status === 200).map(({ text }) => text)
  return readDescriptions([...found, JSON.stringify(fullDescription())])
}

/**
 * `api`: the public port; every reply is checked. `org`: an organization of this file, for tests that only read or use
 * unique names. `newOrg`: another one, for tests that count or list. `token`: the access token of a key of `org` with
 * every scope, new for this test, so its bucket is full. `emptyToken`: that of a key whose bucket earlier tests of this
 * file have emptied.
 */
export const test = base
  .extend('description', { scope: 'worker' }, readDescription)
  .extend('api', { scope: 'worker' }, ({ description }) => createApi(inject('urls').base, description))
  .extend('org', { scope: 'file' }, async ({ api }): Promise<Organization> => newOrganization(api))
  .extend(
    'newOrg',
    ({ api }) =>
      (name?: string) =>
        newOrganization(api, name),
  )
  .extend('token', async ({ api, org }, { onCleanup }) => {
    const { token, id } = await org.key()
    // An organization has at most 200 live keys, and a file may have more tests.
    onCleanup(async () => {
      await api.call('revokeApiKey', { params: { org_id: org.id, key_id: id }, token })
    })
    return token
  })
  .extend('emptyToken', { scope: 'file' }, async ({ api, org }) => {
    const { token } = await org.key()
    await exhaust(api, token)
    return token
  })
