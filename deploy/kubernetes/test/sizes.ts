import {
  BACKUP_DAYS,
  backupHours,
  needsOf,
  NIGHT_HOURS,
  serverNeedsOf,
  streamBytes,
  type Size,
} from '../../workshop/sizing/sizes.ts'
import { nameOf, ofKind, podGroups } from './manifest.ts'
import type { Manifest } from './manifest.ts'

/** A full disk stops its server, so a fifth of a database's disk and a tenth of a broker's stay free. */
const DATABASE_SHARE = 0.8
const BROKER_SHARE = 0.9
/** Of a container's memory, V8 takes half for its heap, and no more than 2 GiB where that is below 15 GiB. */
const HEAP_SHARE = 0.5
const HEAP_MOST = 2 * 1024 ** 3
/** A heap that `--max-old-space-size` sets leaves the rest for buffers. */
const SET_HEAP_SHARE = 0.75
/** The Go runtime takes what GOMEMLIMIT leaves. */
const GO_SHARE = 0.8
/** Usual for PostgreSQL; the rest is for its connections and the page cache. */
const BUFFERS_SHARE = 0.3

type Rule = readonly [kept: boolean, problem: string]

/** Disks, limits and retention that are too small for the organizations that the overlay is for. */
export function sizeProblems(
  objects: readonly Manifest[],
  environments: ReadonlyMap<string, Record<string, string>>,
  size: Size,
): string[] {
  const rules = [
    ...retention(environments, size),
    ...ofKind(objects, 'Cluster').flatMap((cluster) => database(cluster, size)),
    ...podGroups(objects).flatMap(({ kind, name, owner }) =>
      kind === 'StatefulSet' && name === 'postgres' ? oneDatabase(owner, size) : [],
    ),
    ...ofKind(objects, 'ObjectStore').flatMap((store) => backups(store, size)),
    ...podGroups(objects).flatMap(({ name, owner }) =>
      name === 'nats' ? broker(owner, environments, size) : [],
    ),
    ...podGroups(objects).flatMap(({ name, owner }) => (name === 'tracking' ? tracking(owner, size) : [])),
    ...owners(objects, environments),
  ]
  return rules.flatMap(([kept, problem]) => (kept ? [] : [problem]))
}

function retention(environments: ReadonlyMap<string, Record<string, string>>, size: Size): Rule[] {
  const { RETENTION_DAYS: days } = environments.get('tracking') ?? {}
  const scans = Number(environments.get('topology')?.['SCANS_MAX_BYTES'])
  const { scansMaxBytes } = needsOf(size)
  return [
    [
      Number(days) === size.retentionDays,
      `history is kept for ${days} days, and the disk is for ${size.retentionDays}`,
    ],
    [
      scans >= scansMaxBytes,
      `SCANS_MAX_BYTES is ${scans}: ${size.bufferHours} h without tracking need ${scansMaxBytes}`,
    ],
  ]
}

function database({ spec, ...object }: Manifest, size: Size): Rule[] {
  const { databaseBytes, walBytes } = serverNeedsOf(size, object.metadata.name)
  const parameters = spec.postgresql?.parameters ?? {}
  const disk = bytesOf(spec.storage?.size)
  const walDisk = bytesOf(spec.walStorage?.size)
  const log = walBytes + bytesOf(parameters['max_wal_size'])
  const memory = bytesOf(spec.resources?.limits?.['memory'])
  const name = nameOf({ spec, ...object })
  return [
    [
      databaseBytes <= DATABASE_SHARE * disk,
      `${name} has a disk of ${disk} bytes and needs ${databaseBytes / DATABASE_SHARE}`,
    ],
    [
      log <= DATABASE_SHARE * walDisk,
      `${name} has a disk of ${walDisk} bytes for its log and needs ${log / DATABASE_SHARE}`,
    ],
    [
      bytesOf(parameters['shared_buffers']) <= BUFFERS_SHARE * memory,
      `${name} shares more than ${BUFFERS_SHARE} of its memory`,
    ],
  ]
}

/** Without an operator: its log is on the same disk, of which a fifth stays free for it. */
function oneDatabase(owner: Manifest, size: Size): Rule[] {
  const disk = bytesOf(claimOf(owner))
  const { databaseBytes } = needsOf(size)
  return [
    [
      databaseBytes <= DATABASE_SHARE * disk,
      `${nameOf(owner)} has a disk of ${disk} bytes and needs ${databaseBytes / DATABASE_SHARE}`,
    ],
  ]
}

const claimOf = ({ spec }: Manifest) => spec.volumeClaimTemplates?.[0]?.spec.resources.requests?.['storage']

function backups({ spec, ...object }: Manifest, size: Size): Rule[] {
  const hours = backupHours(needsOf(size).databaseBytes, spec.configuration?.data?.jobs ?? 1)
  const name = nameOf({ spec, ...object })
  return [
    [hours <= NIGHT_HOURS, `${name} takes ${hours} h for a backup: set data.jobs`],
    [
      spec.retentionPolicy === `${BACKUP_DAYS}d`,
      `${name} keeps ${spec.retentionPolicy}: the sum of the bucket is for ${BACKUP_DAYS} days`,
    ],
  ]
}

function broker(
  owner: Manifest,
  environments: ReadonlyMap<string, Record<string, string>>,
  { organizations }: Size,
): Rule[] {
  const { NATS_MAX_FILE_STORE, GOMEMLIMIT } = environments.get('nats') ?? {}
  const streams = streamBytes(organizations, Number(environments.get('topology')?.['SCANS_MAX_BYTES']))
  const store = Number(NATS_MAX_FILE_STORE)
  const claim = bytesOf(claimOf(owner))
  const memory = bytesOf(owner.spec.template?.spec.containers[0]?.resources?.limits?.['memory'])
  return [
    [streams <= store, `NATS_MAX_FILE_STORE is ${store}, and the streams need ${streams}`],
    [
      store <= BROKER_SHARE * claim,
      `NATS_MAX_FILE_STORE is ${store}: the broker's disk of ${claim} bytes is too small`,
    ],
    [bytesOf(GOMEMLIMIT) <= GO_SHARE * memory, `GOMEMLIMIT is ${GOMEMLIMIT}: leave a fifth of the memory`],
  ]
}

function tracking({ spec }: Manifest, size: Size): Rule[] {
  const [container] = spec.template?.spec.containers ?? []
  const memory = bytesOf(container?.resources?.limits?.['memory'])
  const [, set] = /--max-old-space-size=(\d+)/.exec(container?.args?.join(' ') ?? '') ?? []
  const heap = set === undefined ? Math.min(HEAP_SHARE * memory, HEAP_MOST) : Number(set) * 1024 ** 2
  const { trackingMemoryBytes } = needsOf(size)
  return [
    [
      trackingMemoryBytes <= heap,
      `the heap of tracking ends at ${heap} bytes and needs ${trackingMemoryBytes}`,
    ],
    [heap <= SET_HEAP_SHARE * memory, `the heap of tracking may fill its memory of ${memory} bytes`],
  ]
}

/** A partition has one owner, so more replicas than partitions do nothing. One partition is shared. */
function owners(
  objects: readonly Manifest[],
  environments: ReadonlyMap<string, Record<string, string>>,
): Rule[] {
  const partitions = Number(environments.get('topology')?.['SCAN_PARTITIONS'])
  const scaler = objects.find(({ spec }) => spec?.scaleTargetRef?.name === 'tracking')?.spec
  const most = scaler?.maxReplicaCount ?? 1
  return [
    [
      partitions === 1 || most <= partitions,
      `tracking may have ${most} replicas, and SCAN_PARTITIONS is ${partitions}`,
    ],
  ]
}

const POWERS: Record<string, number> = { K: 1, M: 2, G: 3, T: 4 }

/** 50Gi of Kubernetes, 1600MiB of Go, 8GB of PostgreSQL: all are powers of 1024. */
function bytesOf(quantity = ''): number {
  const [, amount, unit] = /^(\d+)([KMGT])(?:i|iB|B)$/.exec(quantity) ?? []
  if (amount === undefined || unit === undefined) return Number.NaN
  return Number(amount) * 1024 ** (POWERS[unit] ?? Number.NaN)
}
