import { z } from 'zod'
import { Id, Uuid } from '../../rules/ids.ts'
import { Instant, WireInstant } from '../../rules/instant.ts'
import { openEnum } from '../../rules/open-enum.ts'
import { booleanParameter, dataOf, listOf, page, pathId, pathIdOrUuid } from '../../rules/query.ts'
import { ReaderKey } from '../tracking/readers.ts'
import { scopes, type Route } from '../../route.ts'
import { Name } from '../../rules/text.ts'

/** Open in replies: new scopes may be added. */
const OpenScopes = z.array(openEnum(scopes)).meta({ example: ['assets:read', 'scans:read'] })

const KeyName = z.string().meta({ example: 'ERP connector' })

const BoundTo = z.string().nullable().meta({
  description: 'The only reader that the key may publish for. Null if it may publish for any reader.',
  example: null,
})

export const OrgView = z
  .object({
    id: Id,
    name: z.string().meta({ example: 'Acme Logistics' }),
    scopes: OpenScopes,
    api_key_id: Uuid,
  })
  .meta({ id: 'CurrentOrganization' })

export const ApiKeyView = z
  .object({
    id: Id,
    jti: Uuid,
    name: KeyName,
    scopes: OpenScopes,
    reader_key: BoundTo,
    created_at: WireInstant,
    created_by: Id.nullable(),
    created_by_key_id: Id.nullable(),
    expires_at: WireInstant.nullable(),
    last_used_at: WireInstant.nullable(),
  })
  .meta({ id: 'ApiKey' })
export type ApiKeyView = z.infer<typeof ApiKeyView>

export const ApiKeyCreate = z
  .strictObject({
    name: Name,
    scopes: z.array(z.enum(scopes)).min(1).max(32),
    expires_at: Instant.nullable().optional(),
    reader_key: ReaderKey.nullable().optional(),
  })
  .meta({
    id: 'ApiKeyCreate',
    example: { name: 'ERP connector', scopes: ['assets:read', 'scans:read'] },
  })
export type ApiKeyCreate = z.infer<typeof ApiKeyCreate>

/** Only this reply has the secret. */
export const ApiKeyCreated = z
  .object({
    id: Id,
    jti: Uuid,
    client_id: Uuid,
    client_secret: z
      .string()
      .meta({ description: 'Returned only once.', example: `wb_${'0123456789abcdef'.repeat(4)}` }),
    name: KeyName,
    scopes: OpenScopes,
    reader_key: BoundTo,
    created_at: WireInstant,
    expires_at: WireInstant.nullable(),
  })
  .meta({ id: 'ApiKeyCreated' })

const OrgPath = z.strictObject({ org_id: pathId })

const managing = {
  upstream: 'keys',
  access: 'keys:admin',
  role: 'admin',
  counted: true,
  described: true,
} as const

export const apiKeyRoutes = {
  getCurrentOrg: {
    method: 'GET',
    path: '/orgs/me',
    upstream: 'keys',
    access: 'key',
    counted: false,
    described: true,
    summary: 'Retrieve the current organization',
    description: 'Returns the organization and the scopes of the calling API key.',
    success: { status: 200, schema: dataOf(OrgView) },
    errors: ['validation_error', 'not_found'],
  },
  listApiKeys: {
    method: 'GET',
    path: '/orgs/{org_id}/api-keys',
    ...managing,
    summary: 'List API keys',
    description: 'Returns the API keys of the organization, newest first. Omits revoked keys.',
    params: OrgPath,
    query: z.strictObject(page),
    success: { status: 200, schema: listOf(ApiKeyView) },
    errors: ['validation_error'],
  },
  createApiKey: {
    method: 'POST',
    path: '/orgs/{org_id}/api-keys',
    ...managing,
    summary: 'Create an API key',
    description:
      'Returns the client secret, which is shown only once. Scopes cannot be changed later. To rotate a key, create ' +
      'another key, switch your clients to it, and revoke the first one. A key with `reader_key` publishes for that ' +
      'reader only. `scans:write` must be its only scope. The reader need not exist yet. `keys:admin` is full ' +
      'administration of the keys: a key with it can create keys with every scope, which may live longer than ' +
      'itself. An organization has at most 200 keys that are neither revoked nor expired, unless the operator ' +
      'allows more: beyond that, the response is 409.',
    params: OrgPath,
    body: ApiKeyCreate,
    success: { status: 201, schema: dataOf(ApiKeyCreated) },
    errors: ['validation_error', 'bad_request', 'conflict'],
  },
  revokeApiKey: {
    method: 'DELETE',
    path: '/orgs/{org_id}/api-keys/{key_id}',
    ...managing,
    summary: 'Revoke an API key',
    description:
      '`key_id` is the id or the `jti` of the key. The access and refresh tokens of the key stop working within a ' +
      'second. Responds with 404 if the key is already revoked. `descendants=true` also revokes the keys that it ' +
      'created, and those that they created. Then the response is 204 also for a revoked key, as long as one of ' +
      'these was live.',
    params: z.strictObject({
      org_id: pathId,
      key_id: pathIdOrUuid,
    }),
    query: z.strictObject({ descendants: booleanParameter.optional() }),
    success: { status: 204 },
    errors: ['validation_error', 'not_found'],
  },
} as const satisfies Record<string, Route>
