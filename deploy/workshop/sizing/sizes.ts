import { streams } from '@whereabouts/messaging/connect/topology'
import { COSTS, historyBytes, loadOf, scansBytes } from './load.ts'

export type Size = {
  organizations: number
  retentionDays: number
  /** How long tracking may be down before reads are dropped. */
  bufferHours: number
  /** How many hours the archive of the write-ahead log may fail in working hours. */
  archiveHours: number
  /** Without the add-ons of the README there is one of each server and no metrics. */
  addOns: boolean
  /** Tracking has a server of PostgreSQL of its own, and the other services share one. */
  trackingServer?: boolean
}

/** The Cluster with the tables of tracking, where it has a server of its own. */
export const TRACKING_SERVER = 'postgres-tracking'

/** The overlays of `k8s/` and what each is for. */
export const SIZES = {
  try: { organizations: 1, retentionDays: 31, bufferHours: 72, archiveHours: 0, addOns: false },
  preview: { organizations: 10, retentionDays: 400, bufferHours: 72, archiveHours: 10, addOns: true },
  small: { organizations: 10, retentionDays: 400, bufferHours: 72, archiveHours: 10, addOns: true },
  production: { organizations: 1_000, retentionDays: 400, bufferHours: 4, archiveHours: 10, addOns: true },
  large: {
    organizations: 10_000,
    retentionDays: 400,
    bufferHours: 2,
    archiveHours: 10,
    addOns: true,
    trackingServer: true,
  },
} as const satisfies Record<string, Size>
export type SizeName = keyof typeof SIZES

/** A backup that starts at half past one is finished before the working day. */
export const NIGHT_HOURS = 6.5

/** They may each grow to `SCANS_MAX_BYTES`. */
const OF_READERS = new Set(['SCANS', '$MQTT_msgs', 'OVERFLOW'])

/** What an overlay of this size must provide. */
export function needsOf({ organizations, retentionDays, bufferHours, archiveHours }: Size) {
  const load = loadOf(organizations)
  return {
    scansMaxBytes: scansBytes(organizations, bufferHours),
    databaseBytes: historyBytes(organizations, retentionDays) + load.assetBytes + load.feedBytes,
    walBytes: load.walBytesPerSecond * archiveHours * 3_600,
    trackingMemoryBytes: load.trackingMemoryBytes,
  }
}

/** What the server of a Cluster holds of it. Assets count on both, and the log is that of the rows of history. */
export function serverNeedsOf(size: Size, cluster: string) {
  const { databaseBytes, walBytes } = needsOf(size)
  if (!size.trackingServer) return { databaseBytes, walBytes }
  const { assetBytes, feedBytes } = loadOf(size.organizations)
  return cluster === TRACKING_SERVER
    ? { databaseBytes: databaseBytes - feedBytes, walBytes }
    : { databaseBytes: assetBytes + feedBytes, walBytes: 0 }
}

/** `retentionPolicy` of the bucket, in days. */
export const BACKUP_DAYS = 30

/**
 * The bucket before gzip, of a database with `databaseBytes`: a base backup of each day, one more from which the oldest day
 * is restored, and the log of the same days.
 */
export const bucketBytes = (organizations: number, databaseBytes: number): number =>
  (BACKUP_DAYS + 1) * (databaseBytes + loadOf(organizations).walBytesPerDay)

/**
 * The limits of all streams of a broker, before compression; each broker of three holds a copy of each. Its disk must have room
 * for all of it, because what a reader sends need not be compressible.
 */
export function streamBytes(organizations: number, scansMaxBytes: number): number {
  const { eventsBytes, catalogBytes } = loadOf(organizations)
  const bounds = Object.entries(streams).map(([name, stream]) => {
    if (OF_READERS.has(name)) return scansMaxBytes
    return 'maxBytes' in stream ? stream.maxBytes : 0
  })
  // Placements and keys are few next to movements.
  return bounds.reduce((sum, bytes) => sum + bytes, 0) + eventsBytes + catalogBytes
}

export const backupHours = (databaseBytes: number, jobs: number): number =>
  databaseBytes / (jobs * COSTS.backupJobBytesPerSecond) / 3_600
