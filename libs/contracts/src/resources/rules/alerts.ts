import { z } from 'zod'
import { Id } from '../../rules/ids.ts'
import { WireInstant } from '../../rules/instant.ts'
import { openEnum } from '../../rules/open-enum.ts'
import {
  dataOf,
  enumParameters,
  idsParameter,
  instantParameter,
  listOf,
  page,
  pathId,
} from '../../rules/query.ts'
import { text } from '../../rules/text.ts'
import type { Route } from '../../route.ts'
import { AlertLocation, AlertSubject, ruleKinds, severities } from './rules.ts'

export const alertStates = ['raised', 'acknowledged', 'resolved'] as const
export type AlertState = (typeof alertStates)[number]

export const resolvedBecause = [
  'condition',
  'timeout',
  'rule_changed',
  'rule_disabled',
  'rule_deleted',
  'subject_deleted',
] as const
export type ResolvedBecause = (typeof resolvedBecause)[number]

const MOST_ACKNOWLEDGED = 1_000

export const AlertView = z
  .object({
    id: Id,
    rule: z
      .object({ id: Id, name: z.string(), kind: openEnum(ruleKinds), severity: openEnum(severities) })
      .meta({ id: 'AlertRule' }),
    subject: AlertSubject,
    location: AlertLocation.nullable(),
    state: openEnum(alertStates, 'How far it is.'),
    note: z
      .string()
      .nullable()
      .meta({ description: 'What was noted with the acknowledgement.', example: 'On my way' }),
    raised_at: WireInstant.meta({ description: 'When the condition had held for `for_seconds`.' }),
    acknowledged_at: WireInstant.nullable().meta({ description: 'When somebody took note of it.' }),
    acknowledged_by: z
      .object({ type: openEnum(['user', 'key']), id: Id.nullable(), name: z.string().nullable() })
      .meta({ id: 'AlertAcknowledger' })
      .nullable()
      .meta({ description: 'Who took note of it first.' }),
    resolved_at: WireInstant.nullable().meta({ description: 'When it was over. Null while it is open.' }),
    resolved_because: openEnum(resolvedBecause).nullable(),
  })
  .meta({
    id: 'Alert',
    example: {
      id: 4503599627370501,
      rule: {
        id: 4503599627370500,
        name: 'Pallets that stay in Receiving',
        kind: 'stayed_longer_than',
        severity: 'warning',
      },
      subject: { type: 'asset', id: 4503599627370497, external_key: 'PALLET-7', name: 'Pallet 7' },
      location: { id: 4503599627370498, external_key: 'RECEIVING', name: 'Receiving' },
      state: 'acknowledged',
      note: 'On my way',
      raised_at: '2026-11-21T14:00:00.000Z',
      acknowledged_at: '2026-11-21T14:05:00.000Z',
      acknowledged_by: { type: 'user', id: 4503599627370502, name: 'Ada' },
      resolved_at: null,
      resolved_because: null,
    },
  })
export type AlertView = z.infer<typeof AlertView>

export const AlertsQuery = z.strictObject({
  ...page,
  state: enumParameters(alertStates).optional(),
  severity: enumParameters(severities).optional(),
  rule_id: idsParameter.optional(),
  asset_id: idsParameter.optional(),
  reader_id: idsParameter.optional(),
  location_id: idsParameter.optional(),
  from: instantParameter.optional(),
  to: instantParameter.optional(),
})
export type AlertsQuery = z.infer<typeof AlertsQuery>

const Note = text(1, 1_000, { control: 'lines' })

const AlertPath = z.strictObject({ alert_id: pathId.meta({ description: 'The id of the alert.' }) })
const own = { upstream: 'tracking', counted: true, described: true } as const

export const alertRoutes = {
  listAlerts: {
    ...own,
    access: 'rules:read',
    method: 'GET',
    path: '/alerts',
    summary: 'List alerts',
    description: 'Returns alerts, newest first. `from` and `to` are about `raised_at`.',
    query: AlertsQuery,
    hasFixedOrder: true,
    success: { status: 200, schema: listOf(AlertView) },
    errors: ['validation_error'],
  },
  getAlert: {
    ...own,
    access: 'rules:read',
    method: 'GET',
    path: '/alerts/{alert_id}',
    summary: 'Retrieve an alert',
    params: AlertPath,
    success: { status: 200, schema: dataOf(AlertView) },
    errors: ['validation_error', 'not_found'],
  },
  acknowledgeAlert: {
    ...own,
    access: 'rules:write',
    method: 'POST',
    path: '/alerts/{alert_id}/acknowledge',
    summary: 'Acknowledge an alert',
    description: 'Again: 200, and a new `note` replaces the one before. A resolved alert is a conflict.',
    params: AlertPath,
    body: z.strictObject({ note: Note.optional() }).meta({ example: { note: 'On my way' } }),
    success: { status: 200, schema: dataOf(AlertView) },
    errors: ['validation_error', 'bad_request', 'not_found', 'conflict'],
  },
  acknowledgeAlerts: {
    ...own,
    access: 'rules:write',
    method: 'POST',
    path: '/alerts/acknowledge',
    summary: 'Acknowledge many alerts',
    description: 'Those that are open. Others, and ids that are unknown, are left out of `count`.',
    body: z
      .strictObject({ ids: z.array(Id).min(1).max(MOST_ACKNOWLEDGED) })
      .meta({ example: { ids: [4503599627370497] } }),
    success: {
      status: 200,
      schema: dataOf(
        z
          .object({ count: z.int().meta({ description: 'Alerts that were open.', example: 1 }) })
          .meta({ id: 'AcknowledgedAlerts' }),
      ),
    },
    errors: ['validation_error', 'bad_request'],
  },
} as const satisfies Record<string, Route>
