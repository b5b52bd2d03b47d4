import { z } from 'zod'
import { Id, Uuid } from '../../rules/ids.ts'
import { WireInstant } from '../../rules/instant.ts'
import { notWith } from '../../rules/object-rules.ts'
import { openEnum } from '../../rules/open-enum.ts'
import { idParameter, instantParameter, listOf, page, pathId, textParameter } from '../../rules/query.ts'
import type { Route } from '../../route.ts'

export const actorTypes = ['user', 'key', 'operator'] as const

/** From what to what, by field. A field whose value is a secret has null for both. */
export const Changes = z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() }))
export type Changes = z.infer<typeof Changes>

const AuditActor = z
  .object({ type: openEnum(actorTypes), id: Id.nullable(), name: z.string().nullable() })
  .meta({ id: 'AuditActor', example: { type: 'user', id: 4503599627370496, name: 'Ada' } })

/** `external_key` is the UUID of a session, which has no other id. */
const AuditSubject = z
  .object({ type: z.string(), id: Id.nullable(), external_key: z.string().nullable() })
  .meta({ id: 'AuditSubject', example: { type: 'asset', id: 4503599627370497, external_key: 'FORKLIFT-7' } })

/** One change of one thing (D15.4). Names and keys are as they were then. */
export const AuditRow = z
  .object({
    id: Uuid,
    at: WireInstant,
    actor: AuditActor,
    action: z.string(),
    subject: AuditSubject,
    changes: Changes,
    ip: z.string().nullable(),
    request_id: z.string().nullable(),
  })
  .meta({
    id: 'AuditRow',
    example: {
      id: '0a6f7c1e-8f5e-4d2c-9b1a-3f4e5d6c7b8a',
      at: '2026-11-21T08:30:00.000Z',
      actor: { type: 'user', id: 4503599627370496, name: 'Ada' },
      action: 'asset.update',
      subject: { type: 'asset', id: 4503599627370497, external_key: 'FORKLIFT-7' },
      changes: { name: { from: 'Forklift 7', to: 'Forklift 8' } },
      ip: '203.0.113.7',
      request_id: '01KAJ3ZQ6T9W2N4M8R5X7V1C0B',
    },
  })
export type AuditRow = z.infer<typeof AuditRow>

/** The columns of the file. `changes` is JSON. */
const COLUMNS = [
  'id',
  'at',
  'actor.type',
  'actor.id',
  'actor.name',
  'action',
  'subject.type',
  'subject.id',
  'subject.external_key',
  'changes',
  'ip',
  'request_id',
] as const

/** A page of the list, or with `after` its rows, `cursor` and `has_more` alone. */
export const AuditPage = listOf(AuditRow)
  .partial({ limit: true, offset: true, total_count: true })
  .extend({
    cursor: z.string().optional().meta({ example: 'MTAwMSAxMjM' }),
    has_more: z.boolean().optional(),
  })
  .meta({ id: 'AuditPage' })
export type AuditPage = z.infer<typeof AuditPage>

export const AuditQuery = z
  .strictObject({
    ...page,
    actor_id: idParameter.optional().meta({ description: 'The id of a user or of an API key.' }),
    action: textParameter(64, 'What was done: `asset.update`.').optional(),
    subject_type: textParameter(64, 'The type of the thing that was changed: `asset`.').optional(),
    subject_id: idParameter.optional().meta({ description: 'The id of the thing that was changed.' }),
    from: instantParameter.optional(),
    to: instantParameter.optional(),
    after: textParameter(
      255,
      'Follows the audit: the `cursor` of the answer before, `oldest`, or `now`. The answer is then `{data, cursor, has_more}`.',
    ).optional(),
  })
  .check(notWith('offset', 'after'))
export type AuditQuery = z.infer<typeof AuditQuery>

export const auditRoutes = {
  listAudit: {
    method: 'GET',
    path: '/orgs/{org_id}/audit',
    upstream: 'keys',
    access: 'audit:read',
    role: 'admin',
    counted: false,
    described: true,
    summary: 'List who did what',
    description:
      'Returns the changes of the organization, newest first, and sign-ins, also failed ones. Rows appear within seconds ' +
      'and are kept for 400 days. With `after`, rows come in the order in which they were recorded, oldest first: send ' +
      '`cursor` as `after` for what follows, and no row is left out or repeated. The secrets of a change are never shown: ' +
      'such a field has null for both values.',
    params: z.strictObject({ org_id: pathId }),
    query: AuditQuery,
    success: { status: 200, schema: AuditPage, csv: COLUMNS },
    errors: ['validation_error', 'gone'],
  },
} as const satisfies Record<string, Route>
