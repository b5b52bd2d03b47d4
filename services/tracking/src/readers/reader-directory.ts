import type { Logger } from '@whereabouts/service-kit/logging'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../db.ts'
import { listPlacementRules } from '../positions/rules.queries.ts'
import { DEFAULT_RULES, type PlacementRules } from '../positions/rules.ts'
import {
  antennaHistory,
  assignmentAt,
  UNASSIGNED,
  type AntennaAssignment,
  type AntennaChange,
  type AntennaHistory,
  type ScanPointStrength,
} from './antenna-history.ts'
import { listAntennas, type Antenna } from './antennas.queries.ts'
import {
  listReaderSettings,
  READERS_CHANNEL,
  type ReaderSettings,
  type ReaderSettingsRow,
} from './readers.queries.ts'

type OrgReaders = {
  /** Number of the query that found this, in the order in which queries started. A later one is newer. */
  reading: number
  /** By reader key and antenna. */
  antennas: Map<string, AntennaHistory>
  /** By reader key, for readers that have any. */
  settings: Map<string, ReaderSettings>
  rules: PlacementRules
}

/** Other channels that share the connection. `onListening`: called whenever notifications may have been missed. */
type OtherChannels = { channels: Record<string, (payload: string) => void>; onListening: () => void }
type Options = { probeEveryMs?: number; others?: OtherChannels }
const NO_OTHERS: OtherChannels = { channels: {}, onListening: () => undefined }

const RELISTEN_MS = 1_000
/** Nothing else is sent on the connection that listens, and one that carries nothing is closed (`dropSilent`). */
const PROBE_EVERY_MS = 10_000
const NO_SETTINGS: ReaderSettings = {}
const NEVER_ASSIGNED: AntennaHistory = { now: UNASSIGNED }

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
  readonly #others: OtherChannels

  constructor(
    db: Kysely<Tables>,
    pool: pg.Pool,
    log: Logger,
    { probeEveryMs = PROBE_EVERY_MS, others = NO_OTHERS }: Options = {},
  ) {
    this.#db = db
    this.#pool = pool
    this.#log = log
    this.#probeEveryMs = probeEveryMs
    this.#others = others
  }

  isLoaded(): boolean {
    return this.#isLoaded
  }

  /** What this antenna stands for, and lately stood for. */
  antenna(orgId: number, readerKey: string, antenna: number): AntennaHistory {
    return this.#orgs.get(orgId)?.antennas.get(`${readerKey} ${antenna}`) ?? NEVER_ASSIGNED
  }

  /** Whether this antenna has a scan point, and its location: now, or as of an instant (D18.1). */
  assignment(orgId: number, readerKey: string, antenna: number, asOfMs = Infinity): AntennaAssignment {
    return assignmentAt(this.antenna(orgId, readerKey, antenna), asOfMs)
  }

  /** The decoder settings of this reader; empty for an unknown reader. */
  settings(orgId: number, readerKey: string): ReaderSettings {
    return this.#orgs.get(orgId)?.settings.get(readerKey) ?? NO_SETTINGS
  }

  /** How the organization wants positions to be decided. */
  rules(orgId: number): PlacementRules {
    return this.#orgs.get(orgId)?.rules ?? DEFAULT_RULES
  }

  /** Listens, then loads, so that it misses no change. Retries until it succeeds. */
  async start(): Promise<void> {
    if (this.#stopped) return
    try {
      const client = await this.#pool.connect()
      this.#listener = client
      client.on('error', () => this.#reconnect(client))
      client.on('end', () => this.#reconnect(client))
      client.on('notification', ({ channel, payload = '' }) => this.#hear(channel, payload))
      for (const channel of [READERS_CHANNEL, ...Object.keys(this.#others.channels)])
        await client.query(`listen ${channel}`)
      this.#others.onListening()
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

  #hear(channel: string, payload: string): void {
    if (channel === READERS_CHANNEL) void this.reload(Number(payload))
    else this.#others.channels[channel]?.(payload)
  }

  /** Reads may overlap, and one that started earlier may end later: it must not replace newer rows. */
  async #read(orgId?: number): Promise<void> {
    const reading = (this.#readings += 1)
    const [antennas, settings, rules] = await Promise.all([
      listAntennas(this.#db, orgId),
      listReaderSettings(this.#db, orgId),
      listPlacementRules(this.#db, orgId),
    ])
    const found = group(reading, antennas, settings, rules)
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
  antennas: new Map(),
  settings: new Map(),
  rules: DEFAULT_RULES,
})

function group(
  reading: number,
  antennas: readonly Antenna[],
  settings: readonly ReaderSettingsRow[],
  rules: ReadonlyMap<number, PlacementRules>,
): Map<number, OrgReaders> {
  const orgs = new Map<number, OrgReaders>()
  const readersOf = (orgId: number) => {
    const readers = orgs.get(orgId) ?? noReaders(reading)
    orgs.set(orgId, readers)
    return readers
  }
  for (const [orgId, ofOrg] of Map.groupBy(antennas, ({ org_id }) => org_id))
    for (const [name, rows] of Map.groupBy(ofOrg, nameOf))
      readersOf(orgId).antennas.set(name, toHistory(rows))
  for (const { org_id, reader_key, timezone, time_source, mapping } of settings)
    readersOf(org_id).settings.set(reader_key, {
      timezone: timezone ?? undefined,
      ...(time_source === 'receipt' && { time_source }),
      mapping: mapping ?? undefined,
    })
  for (const [orgId, ofOrg] of rules) readersOf(orgId).rules = ofOrg
  return orgs
}

const nameOf = ({ reader_key, antenna }: Pick<Antenna, 'reader_key' | 'antenna'>) =>
  `${reader_key} ${antenna}`

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
