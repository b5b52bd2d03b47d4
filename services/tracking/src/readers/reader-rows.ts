import { listPlacementRules } from '../positions/rules.queries.ts'
import { DEFAULT_RULES, type PlacementRules } from '../positions/rules.ts'
import type { Db } from '../db.ts'
import {
  antennaHistory,
  UNASSIGNED,
  type AntennaAssignment,
  type AntennaChange,
  type AntennaHistory,
  type ScanPointStrength,
} from './antenna-history.ts'
import { listAntennas, type Antenna } from './antennas.queries.ts'
import { listReaderSettings, type ReaderScope, type ReaderSettings } from './readers.queries.ts'

type Reader = { settings: ReaderSettings; antennas: Map<number, AntennaHistory> }
export type OrgReaders = {
  /** By reader key, for readers that have a setting or a scan point. */
  readers: Map<string, Reader>
  rules: PlacementRules
}

export const NO_SETTINGS: ReaderSettings = {}
export const noReaders = (): OrgReaders => ({ readers: new Map(), rules: DEFAULT_RULES })

/** What ingest needs of readers, by organization. One statement after the other: a change takes one connection at a time. */
export async function readReaders(db: Db, scope?: ReaderScope): Promise<Map<number, OrgReaders>> {
  const antennas = await listAntennas(db, scope)
  const settings = await listReaderSettings(db, scope)
  const rules = await listPlacementRules(db, scope?.orgId)
  const orgs = new Map<number, OrgReaders>()
  const org = (orgId: number) => getOrAdd(orgs, orgId, noReaders())
  const reader = (orgId: number, key: string) =>
    getOrAdd(org(orgId).readers, key, { settings: NO_SETTINGS, antennas: new Map() })
  for (const [orgId, ofOrg] of Map.groupBy(antennas, ({ org_id }) => org_id))
    for (const [key, ofReader] of Map.groupBy(ofOrg, ({ reader_key }) => reader_key))
      for (const [antenna, rows] of Map.groupBy(ofReader, (row) => row.antenna))
        reader(orgId, key).antennas.set(antenna, toHistory(rows))
  for (const { org_id, reader_key, timezone, time_source, mapping } of settings)
    reader(org_id, reader_key).settings = {
      timezone: timezone ?? undefined,
      ...(time_source === 'receipt' && { time_source }),
      mapping: mapping ?? undefined,
    }
  for (const [orgId, ofOrg] of rules) org(orgId).rules = ofOrg
  return orgs
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, added: V): V {
  const value = map.get(key) ?? added
  map.set(key, value)
  return value
}

function toHistory(rows: readonly Antenna[]): AntennaHistory {
  const now = rows.find((row) => row.changed_ms === null)
  const changes = rows.flatMap((row): AntennaChange[] =>
    row.changed_ms === null ? [] : [{ fromMs: row.changed_ms, assignment: toAssignment(row) }],
  )
  return {
    ...antennaHistory(now ? toAssignment(now) : UNASSIGNED, changes),
    strength: now && toStrength(now),
  }
}

/** Undefined where it changes nothing. */
const toStrength = ({
  min_rssi_dbm: minRssiDbm,
  rssi_offset_db: rssiOffsetDb,
}: Antenna): ScanPointStrength | undefined =>
  minRssiDbm === null && rssiOffsetDb === 0 ? undefined : { minRssiDbm, rssiOffsetDb }

const toAssignment = ({ scan_point_id: scanPointId, location_id: locationId }: Antenna): AntennaAssignment =>
  scanPointId === null ? UNASSIGNED : { isAssigned: true, scanPointId, locationId }
