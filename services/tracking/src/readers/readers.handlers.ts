import type { Changes } from '@whereabouts/contracts/resources/keys/audit'
import { audit, changesOf } from '@whereabouts/db/outbox/audit'
import type {
  ListedReader,
  ReaderUpdate,
  ReaderView,
  TimeSource,
} from '@whereabouts/contracts/resources/tracking/readers'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import {
  lacksMapping,
  MAPPING_REQUIRED,
  type ReaderMapping,
} from '@whereabouts/contracts/resources/tracking/reader-mapping'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { rejectIfAny, validationFailed } from '@whereabouts/service-kit/errors/errors'
import { nameProblems } from '@whereabouts/service-kit/errors/name-problems'
import type { Tables, Tx } from '../db.ts'
import { readerExists, readerNotFound } from '../errors.ts'
import { DAY_MS, windowOf } from '../where/reports/movement-summary/movement-summary.rules.ts'
import type { ReaderDirectory } from './reader-directory.ts'
import {
  findListedReader,
  listReaders,
  type ReaderDetailRow,
  type ReaderListRow,
} from './reader-list.queries.ts'
import { replacedOf, RETURN_MS, turnOf, type Identities } from './health/reader-identities.ts'
import { listReaderHours } from './health/reader-hours.queries.ts'
import {
  deleteReader,
  findReader,
  insertReader,
  lockReader,
  notifyReadersChanged,
  updateReader,
  type ReaderRow,
} from './readers.queries.ts'

const LONGEST_MS = 30 * DAY_MS

export type ReaderDeps = { db: TenantDatabase<Tables>; directory: ReaderDirectory; now?: () => number }

type ReaderHandlers = Pick<
  Handlers<'tracking'>,
  'listReaders' | 'createReader' | 'getReader' | 'updateReader' | 'deleteReader' | 'listReaderHours'
>

export const readerHandlers = ({ db, directory, now = Date.now }: ReaderDeps): ReaderHandlers => ({
  async listReaders({ principal: { orgId }, query }) {
    const { limit, offset } = query
    const { rows, total } = await listReaders(db.forOrg(orgId), orgId, query, now())
    const at = now()
    return { data: rows.map((row) => toListed(row, at)), limit, offset, total_count: total }
  },

  async createReader({ principal: { orgId }, body }) {
    const saved = await db.transaction(orgId, async (tx) => {
      const { timezone = null, time_source = 'reader', mapping = null, ...named } = body
      const inserted = await insertReader(tx, orgId, { ...named, timezone, time_source, mapping })
      if (!inserted) throw readerExists(body.reader_key)
      await auditReader(tx, orgId, 'create', inserted, changesOf(undefined, settingsOf(inserted)))
      const change = await notifyReadersChanged(tx, orgId, inserted.reader_key)
      return { change, row: await findListedReader(tx, orgId, inserted.id, now()) }
    })
    if (!saved.row) throw readerNotFound()
    await directory.reload(orgId, saved.change)
    return new Reply({ data: toView(saved.row, now()) }, { location: `/api/v1/readers/${saved.row.id}` })
  },

  async getReader({ principal: { orgId }, params: { reader_id } }) {
    const row = await findListedReader(db.forOrg(orgId), orgId, reader_id, now())
    if (!row) throw readerNotFound()
    return { data: toView(row, now()) }
  },

  async listReaderHours({ principal: { orgId }, params: { reader_id }, query }) {
    const window = windowOf(query, now(), LONGEST_MS)
    const reader = await findReader(db.forOrg(orgId), orgId, reader_id)
    if (!reader) throw readerNotFound()
    return { data: await listReaderHours(db.forOrg(orgId), orgId, reader.reader_key, window) }
  },

  async updateReader({ principal: { orgId }, params: { reader_id }, body }) {
    const saved = await db.transaction(orgId, async (tx) => {
      const stored = await lockReader(tx, orgId, reader_id)
      if (!stored) throw readerNotFound()
      rejectIfAny(nameProblems(stored.name, body.name))
      const changed = withChanges(stored, body)
      if (lacksMapping(changed)) throw validationFailed([MAPPING_REQUIRED])
      await updateReader(tx, orgId, reader_id, changed)
      await auditReader(tx, orgId, 'update', stored, changesOf(settingsOf(stored), settingsOf(changed)))
      const change = await notifyReadersChanged(tx, orgId, stored.reader_key)
      return { change, row: await findListedReader(tx, orgId, reader_id, now()) }
    })
    if (!saved.row) throw readerNotFound()
    await directory.reload(orgId, saved.change)
    return { data: toView(saved.row, now()) }
  },

  async deleteReader({ principal: { orgId }, params: { reader_id } }) {
    const change = await db.transaction(orgId, async (tx) => {
      const deleted = await deleteReader(tx, orgId, reader_id)
      if (!deleted) throw readerNotFound()
      await auditReader(tx, orgId, 'delete', { id: reader_id, ...deleted }, {})
      return notifyReadersChanged(tx, orgId, deleted.reader_key)
    })
    await directory.reload(orgId, change)
  },
})

const auditReader = (
  tx: Tx,
  orgId: number,
  verb: string,
  { id, reader_key }: Pick<ReaderRow, 'id' | 'reader_key'>,
  changes: Changes,
): Promise<void> =>
  audit(tx, orgId, {
    action: `reader.${verb}`,
    subject: { type: 'reader', id, external_key: reader_key },
    changes,
  })

const settingsOf = ({ name, format, timezone, time_source, mapping }: Settings) => ({
  name,
  format,
  timezone,
  time_source,
  mapping,
})

const toView = ({ mapping, ...listed }: ReaderDetailRow, nowMs: number): ReaderView => ({
  ...toListed(listed, nowMs),
  mapping,
})

function toListed(row: ReaderListRow, nowMs: number): ListedReader {
  const {
    id,
    reader_key,
    name,
    format,
    timezone,
    time_source,
    created_at,
    total: _,
    device,
    identities,
    location_ids,
    ...health
  } = row
  const reports = Object.values(device ?? {}).toSorted((a, b) => (a.received_at < b.received_at ? 1 : -1))
  const configured = id !== null
  const settings = {
    id,
    reader_key,
    name,
    format,
    timezone,
    time_source,
    configured,
    created_at,
    location_ids,
  }
  return { ...settings, health: { ...health, ...devicesOf(identities, nowMs), device: reports } }
}

/** One device replaced another, or two take turns. */
function devicesOf(
  identities: Identities | null,
  nowMs: number,
): Pick<ReaderView['health'], 'replaced' | 'two_devices'> {
  const turn = turnOf(identities)
  if (turn && turn.at > nowMs - RETURN_MS)
    return { replaced: null, two_devices: { identities: turn.ids, at: new Date(turn.at).toISOString() } }
  const replaced = replacedOf(identities)
  return { replaced: replaced && { ...replaced, at: new Date(replaced.at).toISOString() }, two_devices: null }
}

type Settings = {
  name: string
  format: string
  timezone: string | null
  time_source: TimeSource
  mapping: ReaderMapping | null
}

/** The settings after a change: absent fields stay, null clears, and a mapping is replaced as a whole. */
const withChanges = (stored: Settings, changes: ReaderUpdate): Settings => ({
  name: changes.name ?? stored.name,
  format: changes.format ?? stored.format,
  timezone: changes.timezone === undefined ? stored.timezone : changes.timezone,
  time_source: changes.time_source ?? stored.time_source,
  mapping: changes.mapping === undefined ? stored.mapping : changes.mapping,
})
