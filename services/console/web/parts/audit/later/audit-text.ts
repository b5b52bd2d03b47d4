import type { components } from '@whereabouts/client/client'
import { wordsFor } from '../../things/known.ts'

export type AuditRow = components['schemas']['AuditRow']
type Actor = AuditRow['actor']
type Changes = AuditRow['changes']

/** The things of the audit, as people call them. */
const THINGS: Readonly<Record<string, string>> = {
  api_key: 'API key',
  asset: 'Asset',
  export: 'Export',
  floor_plan: 'Floor plan',
  history: 'History of an asset',
  import: 'Import',
  inventory: 'Saved inventory',
  invitation: 'Invitation',
  location: 'Location',
  member: 'Member',
  org: 'Organization',
  placement: 'Positions',
  provisioning_link: 'Setup link of a reader',
  reader: 'Reader',
  reset_link: 'Reset link',
  scan_point: 'Scan point',
  session: 'Session',
  tag: 'Tag',
  unknown_tag: 'Unknown tag',
  user: 'Account',
  webhook: 'Webhook',
}

const DEEDS: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  restore: 'restored',
}

/** Those that read wrong when put together. */
const WHOLE: Readonly<Record<string, string>> = {
  'session.create': 'Signed in',
  'session.fail': 'Sign-in failed',
  'session.delete': 'Session ended',
  'member.create': 'Member joined',
  'member.update': 'Role of a member changed',
  'member.delete': 'Member removed',
  'inventory.create': 'Inventory saved',
  'export.create': 'Export started',
  'history.delete': 'History of an asset erased',
  'placement.update': 'Settings of positions changed',
  'unknown_tag.delete': 'Unknown tag dismissed',
}

export const thingText = (type: string): string => wordsFor(THINGS, type) ?? type

/** `Asset changed`. An action of a newer API shows the name that the API has for it. */
export function actionText(action: string): string {
  const whole = wordsFor(WHOLE, action)
  if (whole !== undefined) return whole
  const [type = '', verb = ''] = action.split('.')
  const [thing, deed] = [wordsFor(THINGS, type), wordsFor(DEEDS, verb)]
  return thing !== undefined && deed !== undefined ? `${thing} ${deed}` : action
}

/** Choices of a filter; the empty one is all. */
export const THING_CHOICES = [
  { value: '', label: 'Everything' },
  ...Object.entries(THINGS)
    .map(([value, label]) => ({ value, label }))
    .toSorted((a, b) => a.label.localeCompare(b.label)),
]

/** Who did it. The name is that of then. */
export function actorText({ type, name }: Actor): string {
  if (type === 'operator') return 'An operator of this server'
  if (type === 'key') return `API key ${name ?? '(deleted)'}`
  return name ?? 'Somebody who left'
}

/** What a thing was called: its name if that changed or was set, otherwise its key or number. */
export function subjectText({ subject: { id, external_key: key, type }, changes }: AuditRow): string {
  const name = textOf(changes['name']?.to) ?? textOf(changes['name']?.from) ?? textOf(changes['email']?.to)
  if (type === 'session') return ''
  return name ?? key ?? (id === null ? '' : String(id))
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

export type ShownChange = { field: string; text: string }

/** A line for each field: `Forklift 7 → Forklift 8`. A secret has neither value. */
export const shownChanges = (changes: Changes, textOfValue = valueText): ShownChange[] =>
  Object.entries(changes).map(([field, { from, to }]) => ({
    field,
    text:
      from === null && to === null
        ? 'changed (secret, not shown)'
        : changeText(textOfValue(from), textOfValue(to)),
  }))

function changeText(before: string, after: string): string {
  if (before === '') return after
  return after === '' ? `${before} → removed` : `${before} → ${after}`
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** For a line of a list: how many values a list has, and that there is an object. */
export function shortValueText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 1 ? '1 value' : `${value.length} values`
  if (typeof value === 'object' && value !== null) return 'an object'
  return valueText(value)
}
