import { z } from 'zod'
import { Id, Uuid } from './ids.ts'
import { Instant, WireInstant } from './instant.ts'
import { openEnum } from './open-enum.ts'
import { dataOf, listOf, page, pathId, pathIdOrUuid } from './query.ts'
import { ReaderKey } from './readers.ts'
import { scopes, type Route } from './route.ts'
import { Name } from './text.ts'

/** Open in replies: new scopes may be added. */
const OpenScopes = z.array(openEnum(scopes)).meta({ example: ['assets:read', 'scans:read'] })

const KeyName = z.string().meta({ example: 'ERP connector' })

const BoundTo = z.string().nullable().meta({
  description: 'The only reader that this key may publish for; null when it may publish for any.',
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
    example: {
      name: 'ERP connector',
      scopes: ['assets:read', 'scans:read'],
      expires_at: '2027-11-21T00:00:00Z',
    },
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
      .meta({ description: 'Shown this once.', example: `wb_${'0123456789abcdef'.repeat(4)}` }),
    name: KeyName,
    scopes: OpenScopes,
    reader_key: BoundTo,
    created_at: WireInstant,
    expires_at: WireInstant.nullable(),
  })
  .meta({ id: 'ApiKeyCreated' })

const OrgPath = z.strictObject({ org_id: pathId })

export const apiKeyRoutes = {
  getCurrentOrg: {
    method: 'GET',
    path: '/orgs/me',
    upstream: 'keys',
    access: 'key',
    counted: false,
    described: true,
    summary: 'Read the organization and scopes of the calling key',
    success: { status: 200, schema: dataOf(OrgView) },
    errors: ['validation_error', 'not_found'],
  },
  listApiKeys: {
    method: 'GET',
    path: '/orgs/{org_id}/api-keys',
    upstream: 'keys',
    access: 'session-or-keys-admin',
    counted: true,
    described: true,
    summary: 'List the API keys of the organization, newest first',
    params: OrgPath,
    query: z.strictObject(page),
    success: { status: 200, schema: listOf(ApiKeyView) },
    errors: ['validation_error'],
  },
  createApiKey: {
    method: 'POST',
    path: '/orgs/{org_id}/api-keys',
    upstream: 'keys',
    access: 'session-or-keys-admin',
    counted: true,
    described: true,
    summary: 'Mint an API key; its secret is shown once',
    description:
      'Scopes cannot be changed later: to rotate, mint another key, switch over, revoke the first. With `reader_key` the key ' +
      'publishes for that reader alone; its only scope is then `scans:write`, and the reader need not exist yet.',
    params: OrgPath,
    body: ApiKeyCreate,
    success: { status: 201, schema: dataOf(ApiKeyCreated) },
    errors: ['validation_error', 'bad_request'],
  },
  revokeApiKey: {
    method: 'DELETE',
    path: '/orgs/{org_id}/api-keys/{key_id}',
    upstream: 'keys',
    access: 'session-or-keys-admin',
    counted: true,
    described: true,
    summary: 'Revoke an API key, by its id or its jti',
    description: 'Its access and refresh tokens stop working within a second. A second delete answers 404.',
    params: z.strictObject({
      org_id: pathId,
      key_id: pathIdOrUuid,
    }),
    success: { status: 204 },
    errors: ['validation_error', 'not_found'],
  },
} as const satisfies Record<string, Route>
