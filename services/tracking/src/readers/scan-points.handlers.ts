import type { Changes } from '@whereabouts/contracts/resources/keys/audit'
import { audit, changesOf } from '@whereabouts/db/outbox/audit'
import type { ScanPointUpdate } from '@whereabouts/contracts/resources/tracking/readers'
import { mustReferToSameResource, rejectIfAny } from '@whereabouts/service-kit/errors/errors'
import { nameProblems } from '@whereabouts/service-kit/errors/name-problems'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { Tables, Tx } from '../db.ts'
import { antennaTaken, locationUnresolved, readerNotFound, scanPointNotFound } from '../errors.ts'
import type { FindLocation } from '../catalog/finders.ts'
import type { ReaderDirectory } from './reader-directory.ts'
import { findReader, lockReader, notifyReadersChanged } from './readers.queries.ts'
import {
  countScanPoints,
  deleteScanPoint,
  findScanPoint,
  insertScanPoint,
  isAntennaTaken,
  listScanPoints,
  updateScanPoint,
} from './scan-points.queries.ts'

export type ScanPointDeps = {
  db: TenantDatabase<Tables>
  directory: ReaderDirectory
  findLocation: FindLocation
}

type ScanPointHandlers = Pick<
  Handlers<'tracking'>,
  'listScanPoints' | 'createScanPoint' | 'updateScanPoint' | 'deleteScanPoint'
>

export const scanPointHandlers = ({ db, directory, findLocation }: ScanPointDeps): ScanPointHandlers => {
  /** Runs a change of scan points under the lock of their reader, and notifies every replica. */
  const change = async <T>(
    { orgId, readerId, missing }: { orgId: number; readerId: number; missing: () => Error },
    work: (tx: Tx) => Promise<T>,
  ): Promise<T> => {
    const done = await db.transaction(orgId, async (tx) => {
      const reader = await lockReader(tx, orgId, readerId)
      if (!reader) throw missing()
      const result = await work(tx)
      return { result, change: await notifyReadersChanged(tx, orgId, reader.reader_key) }
    })
    await directory.reload(orgId, done.change)
    return done.result
  }

  return {
    async listScanPoints({ principal: { orgId }, params: { reader_id }, query }) {
      if (!(await findReader(db.forOrg(orgId), orgId, reader_id))) throw readerNotFound()
      const data = await listScanPoints(db.forOrg(orgId), orgId, reader_id, query)
      return { data, ...query, total_count: await countScanPoints(db.forOrg(orgId), orgId, reader_id) }
    },

    async createScanPoint({ principal: { orgId }, params: { reader_id }, body }) {
      if (!(await findReader(db.forOrg(orgId), orgId, reader_id))) throw readerNotFound() // before the location: D2.9, D2.10
      const location = await resolveLocation(findLocation, orgId, body)
      const antenna = body.antenna ?? 1
      const of = { orgId, readerId: reader_id, missing: readerNotFound }
      const point = await change(of, async (tx) => {
        const { name, min_rssi_dbm, rssi_offset_db } = body
        const values = {
          reader_id,
          antenna,
          name,
          location_id: location?.id ?? null,
          min_rssi_dbm,
          rssi_offset_db,
        }
        const inserted = await insertScanPoint(tx, orgId, values)
        if (!inserted) throw antennaTaken(antenna)
        await auditPoint(tx, orgId, 'create', inserted.id, changesOf(undefined, values))
        return inserted
      })
      return { data: { ...point, location_external_key: location?.key ?? null } }
    },

    async updateScanPoint({ principal: { orgId }, params: { reader_id, scan_point_id: id }, body }) {
      if (!(await findScanPoint(db.forOrg(orgId), orgId, reader_id, id))) throw scanPointNotFound()
      const location = await resolveLocation(findLocation, orgId, body)
      const { antenna, name, min_rssi_dbm, rssi_offset_db } = body
      const of = { orgId, readerId: reader_id, missing: scanPointNotFound }
      const data = await change(of, async (tx) => {
        // Every change of the reader's antennas takes its lock, so that the antenna stays free until the commit.
        const stored = await findScanPoint(tx, orgId, reader_id, id)
        if (!stored) throw scanPointNotFound()
        rejectIfAny(nameProblems(stored.name, name))
        if (antenna !== undefined && (await isAntennaTaken(tx, orgId, reader_id, antenna, id)))
          throw antennaTaken(antenna)
        const place = namesLocation(body) && { location_id: location?.id ?? null }
        const changes = { antenna, name, min_rssi_dbm, rssi_offset_db, ...place }
        await updateScanPoint(tx, orgId, id, changes)
        const updated = await findScanPoint(tx, orgId, reader_id, id)
        await auditPoint(tx, orgId, 'update', id, changesOf(stored, updated))
        return updated
      })
      if (!data) throw scanPointNotFound()
      // The projection may not know the location yet.
      return { data: location ? { ...data, location_external_key: location.key } : data }
    },

    async deleteScanPoint({ principal: { orgId }, params: { reader_id, scan_point_id } }) {
      const of = { orgId, readerId: reader_id, missing: scanPointNotFound }
      await change(of, async (tx) => {
        const stored = await findScanPoint(tx, orgId, reader_id, scan_point_id)
        if (!stored || !(await deleteScanPoint(tx, orgId, reader_id, scan_point_id)))
          throw scanPointNotFound()
        const { name, antenna } = stored
        await auditPoint(
          tx,
          orgId,
          'delete',
          scan_point_id,
          changesOf({ reader_id, name, antenna }, undefined),
        )
      })
    },
  }
}

const auditPoint = (tx: Tx, orgId: number, verb: string, id: number, changes: Changes): Promise<void> =>
  audit(tx, orgId, { action: `scan_point.${verb}`, subject: { type: 'scan_point', id }, changes })

type Pair = Pick<ScanPointUpdate, 'location_id' | 'location_external_key'>

const namesLocation = (body: Pair) =>
  body.location_id !== undefined || body.location_external_key !== undefined

/**
 * The location that one of the two fields names, or both of them; undefined if neither does. The schema refuses a
 * pair of which only one is null (D5.3).
 */
async function resolveLocation(findLocation: FindLocation, orgId: number, body: Pair) {
  const { location_id: id, location_external_key: key } = body
  const byKey = typeof key === 'string' ? await findLocation(orgId, { key }) : undefined
  if (typeof key === 'string' && !byKey) throw locationUnresolved('location_external_key')
  const byId = typeof id === 'number' ? await findLocation(orgId, { id }) : undefined
  if (typeof id === 'number' && !byId) throw locationUnresolved('location_id')
  if (byKey && byId && byKey.id !== byId.id)
    rejectIfAny(mustReferToSameResource('location_id', 'location_external_key'))
  return byKey ?? byId
}
