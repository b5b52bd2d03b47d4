import type { components, paths } from '@whereabouts/client/client'

type Schemas = components['schemas']
type ReadersQuery = NonNullable<paths['/api/v1/readers']['get']['parameters']['query']>
type Invitation =
  paths['/api/v1/orgs/{org_id}/invitations']['post']['requestBody']['content']['application/json']

/**
 * Values that the API takes. Tables of words have these as keys, so that a new value without words is a type error.
 * Responses may have more, of a newer API: `wordsFor`.
 */
export type KnownAssetType = NonNullable<Schemas['AssetCreate']['type']>
export type KnownReaderStatus = NonNullable<ReadersQuery['status']>[number]
export type Role = Invitation['role']

/** What a table has for a value of a response; undefined for a value of a newer API. */
export const wordsFor = <T>(table: Readonly<Record<string, T>>, value: string): T | undefined =>
  Object.hasOwn(table, value) ? table[value] : undefined
