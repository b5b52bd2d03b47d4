import type { ReaderView, ScanPointCreate } from '@whereabouts/contracts/readers'
import type { Handlers } from '@whereabouts/service-kit/serve'
import { Answer } from '@whereabouts/service-kit/serve'
import { lacksMapping, MAPPING_REQUIRED } from '@whereabouts/contracts/reader-mapping'
import { rejectIfAny, validationFailed } from '@whereabouts/service-kit/errors'
import type { Kysely } from 'kysely'
import type { Tables } from '../db.ts'
import {
  ambiguousFields,
  antennaTaken,
  locationUnresolved,
  readerExists,
  readerNotFound,
  scanPointNotFound,
} from '../errors.ts'
import type { FindLocation } from '../projections/finders.ts'
import type { ReaderDirectory } from './reader-directory.ts'
import { NO_COUNTS } from './reader-health.ts'
import {
  countReaders,
  deleteReader,
  findReader,
  findReaderListed,
  insertReader,
  listReaders,
  lockReader,
  notifyReadersChanged,
  type ReaderListRow,
  type ReaderRow,
  updateReader,
} from './readers.queries.ts'
import { withChanges } from './readers.rules.ts'
import { countScanPoints, deleteScanPoint, insertScanPoint, listScanPoints } from './scan-points.queries.ts'

export type ReaderDeps = { db: Kysely<Tables>; directory: ReaderDirectory; findLocation: FindLocation }

type ReaderHandlers = Pick<
  Handlers<'tracking'>,
  | 'listReaders'
  | 'createReader'
  | 'updateReader'
  | 'deleteReader'
  | 'listScanPoints'
  | 'createScanPoint'
  | 'deleteScanPoint'
>

export const readerHandlers = ({ db, directory, findLocation }: ReaderDeps): ReaderHandlers => ({
  async listReaders({ principal: { orgId }, query }) {
    const rows = await listReaders(db, orgId, query)
    return {
      data: rows.map(toView),
      ...query,
      total_count: rows[0]?.total ?? (await countReaders(db, orgId)),
    }
  },

  async createReader({ principal: { orgId }, body }) {
    const reader = await db.transaction().execute(async (tx) => {
      const { timezone = null, mapping = null, ...named } = body
      const inserted = await insertReader(tx, orgId, { ...named, timezone, mapping })
      if (!inserted) throw readerExists(body.reader_key)
      await notifyReadersChanged(tx, orgId)
      return inserted
    })
    await directory.reload(orgId)
    return new Answer({ data: newReader(reader) }, { location: `/api/v1/readers/${reader.id}` })
  },

  async updateReader({ principal: { orgId }, params: { reader_id }, body }) {
    const row = await db.transaction().execute(async (tx) => {
      const stored = await lockReader(tx, orgId, reader_id)
      if (!stored) throw readerNotFound()
      const changed = withChanges(stored, body)
      if (lacksMapping(changed)) throw validationFailed([MAPPING_REQUIRED])
      await updateReader(tx, orgId, reader_id, changed)
      await notifyReadersChanged(tx, orgId)
      return findReaderListed(tx, orgId, stored.reader_key)
    })
    if (!row) throw readerNotFound()
    await directory.reload(orgId)
    return { data: toView(row) }
  },

  async deleteReader({ principal: { orgId }, params: { reader_id } }) {
    await db.transaction().execute(async (tx) => {
      if (!(await deleteReader(tx, orgId, reader_id))) throw readerNotFound()
      await notifyReadersChanged(tx, orgId)
    })
    await directory.reload(orgId)
  },

  async listScanPoints({ principal: { orgId }, params: { reader_id }, query }) {
    if (!(await findReader(db, orgId, reader_id))) throw readerNotFound()
    const data = await listScanPoints(db, orgId, reader_id, query)
    return { data, ...query, total_count: await countScanPoints(db, orgId, reader_id) }
  },

  async createScanPoint({ principal: { orgId }, params: { reader_id }, body }) {
    if (!(await findReader(db, orgId, reader_id))) throw readerNotFound() // before the location: D2.9, D2.10
    const location = await resolveLocation(findLocation, orgId, body)
    const antenna = body.antenna ?? 1
    const point = await db.transaction().execute(async (tx) => {
      if (!(await lockReader(tx, orgId, reader_id))) throw readerNotFound()
      const values = { reader_id, antenna, name: body.name, location_id: location?.id ?? null }
      const inserted = await insertScanPoint(tx, orgId, values)
      if (!inserted) throw antennaTaken(antenna)
      await notifyReadersChanged(tx, orgId)
      return inserted
    })
    await directory.reload(orgId)
    return { data: { ...point, location_external_key: location?.key ?? null } }
  },

  async deleteScanPoint({ principal: { orgId }, params: { reader_id, scan_point_id } }) {
    await db.transaction().execute(async (tx) => {
      if (!(await deleteScanPoint(tx, orgId, reader_id, scan_point_id))) throw scanPointNotFound()
      await notifyReadersChanged(tx, orgId)
    })
    await directory.reload(orgId)
  },
})

/** The location named by one of the two fields, or by both alike; undefined when the scan point has none. */
async function resolveLocation(findLocation: FindLocation, orgId: number, body: ScanPointCreate) {
  const { location_id: id, location_external_key: key } = body
  if ((id === null && typeof key === 'string') || (key === null && typeof id === 'number'))
    rejectIfAny(ambiguousFields('location_id', 'location_external_key'))
  const byKey = typeof key === 'string' ? await findLocation(orgId, { key }) : undefined
  if (typeof key === 'string' && !byKey) throw locationUnresolved('location_external_key')
  const byId = typeof id === 'number' ? await findLocation(orgId, { id }) : undefined
  if (typeof id === 'number' && !byId) throw locationUnresolved('location_id')
  if (byKey && byId && byKey.id !== byId.id)
    rejectIfAny(ambiguousFields('location_id', 'location_external_key'))
  return byKey ?? byId
}

const SILENT: ReaderView['health'] = {
  last_seen_at: null,
  identity: null,
  ...NO_COUNTS,
  last_problem: null,
  last_problem_at: null,
}

const newReader = ({
  id,
  reader_key,
  name,
  format,
  timezone,
  mapping,
  created_at,
}: ReaderRow): ReaderView => ({
  id,
  reader_key,
  name,
  format,
  timezone,
  mapping,
  configured: true,
  created_at,
  health: SILENT,
})

function toView(row: ReaderListRow): ReaderView {
  const { id, reader_key, name, format, timezone, mapping, created_at, total: _, ...health } = row
  const configured = id !== null
  return { id, reader_key, name, format, timezone, mapping, configured, created_at, health }
}
