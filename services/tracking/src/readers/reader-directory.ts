import type { Logger } from '@whereabouts/service-kit/logging'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../db.ts'
import {
  listReaderSettings,
  READERS_CHANNEL,
  type ReaderSettings,
  type ReaderSettingsRow,
} from './readers.queries.ts'
import { listAntennas, type Antenna } from './scan-points.queries.ts'

/** An antenna with a scan point, which may have no location, or an unassigned antenna. */
export type AntennaAssignment =
  | { isAssigned: true; scanPointId: number; locationId: number | null }
  | { isAssigned: false }

type OrgReaders = {
  /** Number of the query that found this, in the order in which queries started. A later one is newer. */
  reading: number
  /** By reader key and antenna. */
  assignments: Map<string, AntennaAssignment>
  /** By reader key, for readers that have any. */
  settings: Map<string, ReaderSettings>
}

const RELISTEN_MS = 1_000
/** Nothing else is sent on the connection that listens, and one that carries nothing is closed (`dropSilent`). */
const PROBE_EVERY_MS = 10_000
const NO_SETTINGS: ReaderSettings = {}
const UNASSIGNED: AntennaAssignment = { isAssigned: false }

/**
 * The scan points and decoder settings of all readers, in the memory of this process. PostgreSQL notifies every
 * replica of a change when it commits. A replica then reads that organization's rows again, and all rows after a lost
 * connection.
 */
export class ReaderDirectory {
  readonly #db: Kysely<Tables>
  readonly #pool: pg.Pool
  readonly #log: Logger
  readonly #probeEveryMs: number
  #orgs = new Map<number, OrgReaders>()
  #readings = 0
  #listener: pg.PoolClient | undefined
  #retry: NodeJS.Timeout | undefined
  #probing: NodeJS.Timeout | undefined
  #stopped = false
  #isLoaded = false

  constructor(db: Kysely<Tables>, pool: pg.Pool, log: Logger, { probeEveryMs = PROBE_EVERY_MS } = {}) {
    this.#db = db
    this.#pool = pool
    this.#log = log
    this.#probeEveryMs = probeEveryMs
  }

  isLoaded(): boolean {
    return this.#isLoaded
  }

  /** Whether this antenna has a scan point, and its location. */
  assignment(orgId: number, readerKey: string, antenna: number): AntennaAssignment {
    return this.#orgs.get(orgId)?.assignments.get(`${readerKey} ${antenna}`) ?? UNASSIGNED
  }

  /** The decoder settings of this reader; empty for an unknown reader. */
  settings(orgId: number, readerKey: string): ReaderSettings {
    return this.#orgs.get(orgId)?.settings.get(readerKey) ?? NO_SETTINGS
  }

  /** Listens, then loads, so that it misses no change. Retries until it succeeds. */
  async start(): Promise<void> {
    if (this.#stopped) return
    try {
      const client = await this.#pool.connect()
      this.#listener = client
      client.on('error', () => this.#reconnect(client))
      client.on('end', () => this.#reconnect(client))
      client.on('notification', (note) => void this.reload(Number(note.payload)))
      await client.query(`listen ${READERS_CHANNEL}`)
      this.#probing = setInterval(() => void this.#probe(client), this.#probeEveryMs)
      await this.#read()
      this.#isLoaded = true
    } catch (error) {
      this.#log.warn({ err: error }, 'readers could not be loaded; will retry')
      this.#reconnect(this.#listener)
    }
  }

  /** Reads one organization's readers again. After a change, a handler awaits it to read its own write. */
  async reload(orgId: number): Promise<void> {
    try {
      await this.#read(orgId)
    } catch (error) {
      this.#log.warn({ err: error, org_id: orgId }, 'readers could not be reloaded; will retry')
      this.#reconnect(this.#listener) // the next load covers the missed change
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#retry)
    clearInterval(this.#probing)
    this.#listener?.release(true)
    this.#listener = undefined
  }

  /** Reads may overlap, and one that started earlier may end later: it must not replace newer rows. */
  async #read(orgId?: number): Promise<void> {
    const reading = (this.#readings += 1)
    const [antennas, settings] = await Promise.all([
      listAntennas(this.#db, orgId),
      listReaderSettings(this.#db, orgId),
    ])
    const found = group(reading, antennas, settings)
    const orgIds = orgId === undefined ? new Set([...this.#orgs.keys(), ...found.keys()]) : [orgId]
    for (const org of orgIds) {
      if ((this.#orgs.get(org)?.reading ?? 0) > reading) continue
      this.#orgs.set(org, found.get(org) ?? noReaders(reading))
    }
  }

  async #probe(client: pg.PoolClient): Promise<void> {
    try {
      await client.query('select 1')
    } catch (error) {
      this.#log.warn({ err: error }, 'connection for reader changes lost; will reconnect')
      this.#reconnect(client)
    }
  }

  #reconnect(client: pg.PoolClient | undefined): void {
    if (client !== undefined && client === this.#listener) {
      this.#listener = undefined
      clearInterval(this.#probing)
      client.removeAllListeners('notification')
      client.release(true)
    }
    if (this.#stopped || this.#listener) return
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.start(), RELISTEN_MS)
  }
}

const noReaders = (reading: number): OrgReaders => ({
  reading,
  assignments: new Map(),
  settings: new Map(),
})

function group(
  reading: number,
  antennas: readonly Antenna[],
  settings: readonly ReaderSettingsRow[],
): Map<number, OrgReaders> {
  const orgs = new Map<number, OrgReaders>()
  const readersOf = (orgId: number) => {
    const readers = orgs.get(orgId) ?? noReaders(reading)
    orgs.set(orgId, readers)
    return readers
  }
  for (const {
    org_id,
    reader_key,
    antenna,
    scan_point_id: scanPointId,
    location_id: locationId,
  } of antennas) {
    if (antenna === null || scanPointId === null) continue
    const assignment = { isAssigned: true, scanPointId, locationId } as const
    readersOf(org_id).assignments.set(`${reader_key} ${antenna}`, assignment)
  }
  for (const { org_id, reader_key, timezone, time_source, mapping } of settings)
    readersOf(org_id).settings.set(reader_key, {
      timezone: timezone ?? undefined,
      ...(time_source === 'receipt' && { time_source }),
      mapping: mapping ?? undefined,
    })
  return orgs
}
