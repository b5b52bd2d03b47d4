/** Measured; docs/scaling.md says by what. Times in microseconds of one core. */
export const COSTS = {
  readUs: 4.3,
  rowUs: 42,
  deliveryUs: 410,
  requestUs: 1_364,
  rowBytes: 260,
  /** A row of a packed day, with its index and what a page of the table leaves free. Measured: 3.2 at four movements a day. */
  packedRowBytes: 3.5,
  packUs: 7.7,
  /** In the tables of tracking, with four indexes, as long as history. */
  movementRowBytes: 300,
  /**
   * Write-ahead log of a row and its position, with `wal_compression: lz4`: 560 bytes, and one page image of its index in each
   * checkpoint. 1 104 without it.
   */
  rowWalBytes: 890,
  assetBytes: 5_200,
  assetMemoryBytes: 1_100,
  messageBytes: 150,
  messageReadBytes: 110,
  /** Messages of 20 reads are this much smaller on the broker's disk. No disk may be reserved by it: see ADR 116. */
  messageCompression: 5.2,
  movementBytes: 494,
  /** A movement in the feed, and its delivery to one endpoint, with indexes. */
  eventRowBytes: 354,
  deliveryRowBytes: 376,
  catalogBytes: 531,
  processBytes: 200e6,

  /** Read, compressed with gzip and sent by one job of a base backup. */
  backupJobBytesPerSecond: 30e6,
} as const

/** What each organization does. */
export const ORGANIZATION = {
  assets: 500,
  tags: 600,
  readers: 5,
  readsPerMessage: 20,
  /** Each reader sends one message a second during these hours. */
  workingHours: 10,
  assetsPerMinute: 300,
  movementsPerDay: 2_000,
  requestSeconds: 5,
} as const

/** Events, deliveries and placements are kept for seven days. */
const EVENT_DAYS = 7
const WORKING_SECONDS = ORGANIZATION.workingHours * 3_600

/** The load of an installation during working hours. Bytes are for one copy. */
export function loadOf(organizations: number) {
  const messages = organizations * ORGANIZATION.readers
  const reads = messages * ORGANIZATION.readsPerMessage
  const rows = (organizations * ORGANIZATION.assetsPerMinute) / 60
  const movements = (organizations * ORGANIZATION.movementsPerDay) / WORKING_SECONDS
  const requests = organizations / ORGANIZATION.requestSeconds
  const cores = {
    reads: (reads * COSTS.readUs) / 1e6,
    rows: (rows * COSTS.rowUs) / 1e6,
    deliveries: (movements * COSTS.deliveryUs) / 1e6,
    requests: (requests * COSTS.requestUs) / 1e6,
  }
  const assets = organizations * ORGANIZATION.assets
  return {
    readers: messages,
    messages,
    reads,
    rows,
    rowsPerDay: rows * WORKING_SECONDS,
    movements,
    requests,
    cores,
    coresInAll: Object.values(cores).reduce((sum, each) => sum + each, 0),
    rowBytesPerDay: rows * WORKING_SECONDS * COSTS.rowBytes,
    packedBytesPerDay: rows * WORKING_SECONDS * COSTS.packedRowBytes,
    packingSecondsPerDay: (rows * WORKING_SECONDS * COSTS.packUs) / 1e6,
    movementBytesPerDay: organizations * ORGANIZATION.movementsPerDay * COSTS.movementRowBytes,
    assetBytes: assets * COSTS.assetBytes,
    walBytesPerSecond: rows * COSTS.rowWalBytes,
    walBytesPerDay: rows * WORKING_SECONDS * COSTS.rowWalBytes,
    scansBytesPerSecond: messages * COSTS.messageBytes + reads * COSTS.messageReadBytes,
    eventsBytes: organizations * ORGANIZATION.movementsPerDay * EVENT_DAYS * COSTS.movementBytes,
    feedBytes:
      organizations *
      ORGANIZATION.movementsPerDay *
      EVENT_DAYS *
      (COSTS.eventRowBytes + COSTS.deliveryRowBytes),
    catalogBytes: organizations * (ORGANIZATION.assets + ORGANIZATION.tags) * COSTS.catalogBytes,
    trackingMemoryBytes: COSTS.processBytes + assets * COSTS.assetMemoryBytes,
  }
}

/** Tracking drops whole months of packed days, so the oldest stay for up to a month after their time. */
export const LONGEST_MONTH_DAYS = 31

/** Rows live for four days at most, and those of one more while they are packed or wait for it. */
export const ROW_DAYS = 5

/** History on disk just before a month is dropped: rows, packed days and movements. */
export function historyBytes(organizations: number, retentionDays: number): number {
  const { rowBytesPerDay, packedBytesPerDay, movementBytesPerDay } = loadOf(organizations)
  return (
    ROW_DAYS * rowBytesPerDay +
    (retentionDays + LONGEST_MONTH_DAYS) * (packedBytesPerDay + movementBytesPerDay)
  )
}

/** Bytes that readers send to SCANS in `hours`, of which `ORGANIZATION.workingHours` a day are busy. */
export function scansBytes(organizations: number, hours: number): number {
  const days = Math.floor(hours / 24)
  const busyHours = days * ORGANIZATION.workingHours + Math.min(hours % 24, ORGANIZATION.workingHours)
  return loadOf(organizations).scansBytesPerSecond * busyHours * 3_600
}

export const hoursOf = (bytes: number, bytesPerSecond: number): number => bytes / bytesPerSecond / 3_600
