import { tagTypes } from '@whereabouts/contracts/resources/catalog/tags'
import type { Route } from '@whereabouts/contracts/route'
import { routes, type OperationId } from '@whereabouts/contracts/routes'
import { describe, expect } from 'vitest'
import { attempts, references } from './support/attempts.ts'
import { test as base } from './support/fixtures.ts'
import { parametersOf } from './support/rows.ts'
import { snapshot, WINDOW } from './support/snapshot.ts'
import type { Api } from './support/api.ts'
import { goBackAndForth } from './support/unsteady.ts'
import { newWorld, type World } from './support/world.ts'

const unsteadyWorld = async (api: Api) => goBackAndForth(api, await newWorld(api))

/** `filtering`: a further key of `mine`, since the bucket of one does not hold all requests. `theirs`: an organization with one of everything, as it was before; `mine`: another one, which tries its ids. */
const test = base
  .extend('theirs', { scope: 'file' }, ({ api }) => unsteadyWorld(api))
  .extend('mine', { scope: 'file' }, ({ api }) => unsteadyWorld(api))
  .extend('filtering', { scope: 'file' }, ({ mine }) => mine.org.key())
  .extend('before', { scope: 'file' }, ({ api, theirs }) => snapshot(api, theirs))

/** Parameters that refer to no resource. */
const NEUTRAL = new Set([
  'limit',
  'at', // when, and how much of what another filter names
  'include_descendants',
  'not_seen_since',
  'window',
  'is_root',
  'expand', // shows more of the own rows
  'misplaced',
  'offset',
  'sort',
  'is_active',
  'include_deleted',
  'type',
  'from',
  'to',
  'configured',
  'status',
  'tag_type',
  'min_reads',
  'seen_since',
  'asset_type',
  'group_by',
  'min_seconds',
  'open',
  'max_silence_seconds',
  'limit_seconds',
  'after', // a cursor of another organization is refused: movements.test.ts
  'wait',
  'kind',
  'enabled',
  'state',
  'severity',
])

/** What a list cannot be asked without. */
const neededBy = (operationId: OperationId) => (operationId === 'reportVisits' ? { group_by: 'asset' } : {})

const table = Object.entries<Route>(routes) as [OperationId, Route][]
const withPathIds = table.filter(([, { path }]) => path.includes('{'))
const lists = table.filter(
  ([, row]) => row.method === 'GET' && parametersOf(row).includes('limit') && !row.path.includes('{'),
)
/** Lists that refuse an unknown id instead of answering an empty page. */
const REFUSING = new Set<OperationId>(['listLocationBranch'])

/** Tokens that may call a row: the administrator's and, if keys may, that of a key with every scope. */
const tokensOf = ({ access }: Route, { org, key }: World) =>
  access === 'session' ? [org.admin] : [org.admin, key.token]

describe('another organization', () => {
  test.for(withPathIds)(
    '%s answers its ids like unknown ids',
    async ([operationId, row], { api, mine, theirs, before }) => {
      expect(before).toBeDefined() // taken before the first attempt
      const attemptsOf = attempts[row.path]
      const hint = `add ids of another organization for ${row.path} to support/attempts.ts`
      expect(attemptsOf, hint).toBeDefined()
      for (const { params, status } of attemptsOf?.(mine, theirs) ?? [])
        for (const token of tokensOf(row, mine)) {
          const body = row.upload ? '' : row.body && (references[operationId]?.valid ?? {})
          const reply = await api.call(operationId, { params, token, body })
          const where = `${operationId} ${JSON.stringify(params)}`
          expect(reply.body.error, where).toMatchObject({
            status,
            type: status === 403 ? 'forbidden' : 'not_found',
          })
          for (const secret of namesOf(theirs)) expect(reply.body.error.detail, where).not.toContain(secret)
        }
    },
  )

  test.for(lists)('%s shows nothing of it', async ([operationId, row], { api, mine, theirs }) => {
    for (const token of tokensOf(row, mine)) {
      const query = {
        ...(parametersOf(row).includes('include_deleted') && { include_deleted: true }),
        ...neededBy(operationId),
      }
      const reply = await api.call(operationId, { token, query: { limit: 200, ...query } })
      const { data } = reply.body as unknown as { data: unknown[] }
      expect(data.length, `${operationId} must have own rows to be a test`).toBeGreaterThan(0)
      for (const sign of signsOf(theirs)) expect(reply.text, operationId).not.toContain(sign)
    }
  })

  const filters = lists
    .filter(([operationId]) => !REFUSING.has(operationId))
    .flatMap(([operationId, row]) =>
      parametersOf(row)
        .filter((parameter) => !NEUTRAL.has(parameter))
        .map((parameter) => ({ operationId, parameter })),
    )
  test.for(filters)(
    '$operationId filtered by its $parameter is an empty page',
    async ({ operationId, parameter }, { api, mine, theirs, filtering: key }) => {
      const row: Route = routes[operationId]
      for (const value of filterValues(parameter, theirs))
        for (const token of tokensOf(row, { ...mine, key })) {
          const reply = await api.call(operationId, {
            token,
            query: { [parameter]: value, ...neededBy(operationId) },
          })
          const empty = parametersOf(row).includes('offset') ? { total_count: 0 } : { has_more: false }
          expect(reply.body, `${parameter}=${value}`).toMatchObject({ data: [], ...empty })
        }
    },
  )

  test('its locations have no branches and no counts', async ({ api, mine, theirs }) => {
    const token = mine.org.admin
    const query = { location_id: [theirs.location.id, theirs.child.id, mine.location.id] }
    expect((await api.call('listOccupancy', { token, query })).body).toEqual({
      data: [{ location_id: mine.location.id, here: 1, inside: 1 }],
      total: 1,
      nowhere: 0,
    })
    const branch = await api.call('listLocationBranch', { token, query: { parent_id: theirs.location.id } })
    expect(branch.body.error).toMatchObject({ status: 404, type: 'not_found' })
    const summary = { ...WINDOW, location_id: theirs.location.id }
    const { hours } = (await api.call('summarizeMovements', { token, query: summary })).body.data
    expect(hours.filter((hour) => hour.in !== 0 || hour.out !== 0)).toEqual([])
  })

  const referring = table.filter(
    ([operationId, { body }]) =>
      references[operationId]?.foreign !== undefined || Object.keys(shapeOf(body)).some(isReference),
  )
  test.for(referring)(
    '%s does not resolve its ids in the body',
    async ([operationId], { api, mine, theirs }) => {
      const known = references[operationId]
      const hint = `add ids of another organization for the body of ${operationId} to support/attempts.ts`
      expect(known, hint).toBeDefined()
      for (const { params = {}, body, fields } of known?.foreign?.(mine, theirs) ?? []) {
        const reply = await api.call(operationId, { params, body, token: mine.org.admin })
        expect(reply.status, JSON.stringify(body)).toBe(400)
        expect(reply.body.error.fields, JSON.stringify(body)).toMatchObject(
          fields.map((field) => ({ field, code: 'fk_not_found' })),
        )
      }
    },
  )

  test('does not block its natural keys for others', async ({ api, mine, theirs }) => {
    const { token } = mine.key
    const { external_key, tagValue } = theirs.asset
    const tags = [{ tag_type: 'barcode', value: tagValue }]
    for (const operationId of ['createAsset', 'createLocation'] as const) {
      const body = { name: 'Ours', external_key, ...(operationId === 'createAsset' && { tags }) }
      expect((await api.call(operationId, { token, body })).status).toBe(201)
    }
    const { reader_key } = theirs.reader
    const body = { reader_key, name: 'Ours', format: 'canonical' }
    expect((await api.call('createReader', { token: mine.org.admin, body })).status).toBe(201)
  })

  test('is unchanged, to the last field', async ({ api, theirs, before }) => {
    expect(await snapshot(api, theirs)).toEqual(before)
    expect((await api.call('getCurrentOrg', { token: theirs.key.token })).status).toBe(200)
  })
})

/** Names that must not be in an error text. */
const namesOf = ({ org, asset, location }: Pick<World, 'org' | 'asset' | 'location'>) => [
  org.name,
  asset.name,
  location.name,
]

/** Signs of a resource of this organization: its unique ids, keys and names. */
function signsOf({
  org,
  key,
  readerKey,
  asset,
  location,
  child,
  deletedLocationId,
  reader,
  unknownTagId,
  ruleId,
  alertId,
  webhookId,
  endpointId,
  importId,
  exportId,
  invitationId,
}: World): string[] {
  const ids = [org.id, org.userId, key.id, readerKey.id, asset.id, asset.tagId, location.id, location.tagId]
  const more = [
    child.id,
    deletedLocationId,
    reader.id,
    reader.scanPointId,
    unknownTagId,
    ruleId,
    alertId,
    webhookId,
    endpointId,
    importId,
    exportId,
    invitationId,
  ]
  const keys = [asset.external_key, location.external_key, child.external_key, reader.reader_key, key.jti]
  return [...[...ids, ...more].map(String), ...keys, ...namesOf({ org, asset, location }), org.email]
}

const shapeOf = (schema: unknown): object => (schema as { shape?: object } | undefined)?.shape ?? {}

const isReference = (field: string) => /(?:^|_)(?:id|ids|external_key|identifier|identifiers)$/.test(field)

/** Values of a filter that only the organization's rows match. */
function filterValues(parameter: string, { asset, location, reader, ruleId }: World): (string | number)[] {
  switch (parameter) {
    case 'asset_id':
      return [asset.id]
    case 'id':
      return [asset.id, location.id]
    case 'tag':
      return [asset, location].flatMap(({ tagValue }) => tagTypes.map((type) => `${type}:${tagValue}`))
    case 'location_id':
    case 'home_location_id':
    case 'parent_id':
      return [location.id]
    case 'rule_id':
      return [ruleId]
    case 'reader_id':
      return [reader.id]
    case 'reader_key':
      return [reader.reader_key]
    case 'asset':
    case 'asset_external_key':
      return [asset.external_key]
    case 'location':
    case 'location_external_key':
    case 'parent_external_key':
    case 'parent':
    case 'parent_identifier':
      return [location.external_key]
    case 'external_key':
    case 'identifier':
    case 'q':
      return [asset.external_key, location.external_key]
    default:
      throw new Error(`add a value of another organization for ${parameter} to filterValues`)
  }
}
