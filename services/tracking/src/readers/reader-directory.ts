import type { Logger } from '@whereabouts/service-kit/logging'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../db.ts'
import { READERS_CHANNEL } from './readers.queries.ts'
import { listAntennas, type Antenna } from './scan-points.queries.ts'

/** `placed` with a null location is a scan point that says nothing of place, which is not the same as no scan point. */
export type Placement = { placed: true; locationId: number | null } | { placed: false }

const RELISTEN_MS = 1_000

/**
 * Which antenna looks where, in the memory of this process. PostgreSQL announces each change when it commits, so
 * that every replica reads that organization's rows again; after a lost connection everything is read again.
 */
export class ReaderDirectory {
  readonly #db: Kysely<Tables>
  readonly #pool: pg.Pool
  readonly #log: Logger
  #orgs = new Map<number, Map<string, number | null>>()
  #listener: pg.PoolClient | undefined
  #retry: NodeJS.Timeout | undefined
  #stopped = false
  #isLoaded = false

  constructor(db: Kysely<Tables>, pool: pg.Pool, log: Logger) {
    this.#db = db
    this.#pool = pool
    this.#log = log
  }

  isLoaded(): boolean {
    return this.#isLoaded
  }

  /** Where this antenna of this reader looks. */
  placement(orgId: number, readerKey: string, antenna: number): Placement {
    const locationId = this.#orgs.get(orgId)?.get(`${readerKey} ${antenna}`)
    return locationId === undefined ? { placed: false } : { placed: true, locationId }
  }

  /** Starts to listen, then loads: a change in between is announced. Tries for ever. */
  async start(): Promise<void> {
    if (this.#stopped) return
    try {
      const client = await this.#pool.connect()
      this.#listener = client
      client.on('error', () => this.#lost(client))
      client.on('end', () => this.#lost(client))
      client.on('notification', (note) => void this.reload(Number(note.payload)))
      await client.query(`listen ${READERS_CHANNEL}`)
      this.#orgs = group(await listAntennas(this.#db))
      this.#isLoaded = true
    } catch (error) {
      this.#log.warn({ err: error }, 'readers could not be loaded yet')
      this.#lost(this.#listener)
    }
  }

  /** Reads one organization's readers again; the caller of a change awaits it to see its own write. */
  async reload(orgId: number): Promise<void> {
    try {
      const antennas = await listAntennas(this.#db, orgId)
      this.#orgs.set(orgId, group(antennas).get(orgId) ?? new Map())
    } catch (error) {
      this.#log.warn({ err: error, org_id: orgId }, 'readers could not be read again')
      this.#lost(this.#listener) // start over: the next load covers what was missed
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#retry)
    this.#listener?.release(true)
    this.#listener = undefined
  }

  #lost(client: pg.PoolClient | undefined): void {
    if (client !== undefined && client === this.#listener) {
      this.#listener = undefined
      client.removeAllListeners('notification')
      client.release(true)
    }
    if (this.#stopped || this.#listener) return
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.start(), RELISTEN_MS)
  }
}

function group(antennas: readonly Antenna[]): Map<number, Map<string, number | null>> {
  const orgs = new Map<number, Map<string, number | null>>()
  for (const { org_id, reader_key, antenna, location_id } of antennas) {
    if (antenna === null) continue
    const places = orgs.get(org_id) ?? new Map<string, number | null>()
    orgs.set(org_id, places.set(`${reader_key} ${antenna}`, location_id))
  }
  return orgs
}
