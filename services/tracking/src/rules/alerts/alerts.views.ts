import type { AlertEvent } from '@whereabouts/contracts/messages/alerts/alert-events'
import type { AlertState, AlertView } from '@whereabouts/contracts/resources/rules/alerts'
import type { AlertSubject } from '@whereabouts/contracts/resources/rules/rules'
import { aboutPlaces } from '../../catalog/about-places.ts'
import type { CatalogView } from '../../catalog/catalog-view.ts'
import { eventId } from '../../event-ids.ts'
import type { AlertRow } from './alerts.queries.ts'

const stateOf = ({ resolved_at, acknowledged_at }: AlertRow): AlertState =>
  resolved_at !== null ? 'resolved' : acknowledged_at !== null ? 'acknowledged' : 'raised'

/** A subject that is gone for good has its id alone. */
function subjectOf({
  subject_type: type,
  subject_id: id,
  subject_key,
  subject_name,
}: AlertRow): AlertSubject {
  const name = subject_name ?? ''
  if (type === 'asset') return { type, id, external_key: subject_key ?? '', name }
  return type === 'reader' ? { type, id, reader_key: subject_key ?? '', name } : { type, id, name }
}

export const toAlertView = (row: AlertRow): AlertView => ({
  id: row.id,
  rule: { id: row.rule_id, name: row.rule_name, kind: row.kind, severity: row.severity },
  subject: subjectOf(row),
  location:
    row.location_id === null
      ? null
      : { id: row.location_id, external_key: row.location_key ?? '', name: row.location_name ?? '' },
  state: stateOf(row),
  note: row.note,
  raised_at: row.raised_at,
  acknowledged_at: row.acknowledged_at,
  acknowledged_by: row.acknowledged_by,
  resolved_at: row.resolved_at,
  resolved_because: row.resolved_because,
})

/** Ids are derived, so that an alert has each of its events once. */
export function toAlertEvent(row: AlertRow, view: CatalogView, isRaised: boolean): AlertEvent {
  const { org_id, id, location_id } = row
  const alert = toAlertView(row)
  const raised = { ...alert, state: 'raised', resolved_at: null, resolved_because: null }
  const places =
    location_id !== null && view.location(org_id, location_id)?.deleted !== true ? [location_id] : []
  return {
    delivery_id: eventId('alert', org_id, id, isRaised ? 'raised' : 'resolved'),
    org_id,
    occurred_at: isRaised ? row.raised_at : (row.resolved_at ?? row.raised_at),
    alert: isRaised ? raised : alert,
    about: {
      ...(row.subject_type === 'asset' && { asset_type: view.types.typeOf(org_id, row.subject_id) }),
      ...aboutPlaces(view, org_id, places),
    },
  }
}
