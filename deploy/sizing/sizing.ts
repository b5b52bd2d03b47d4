import { EVENTS_DAYS, RETENTION_DAYS, SCANS_HOURS, UNIT_COSTS } from './unit-costs.ts'

/** What an installation has to carry. All but the first are of one organization. */
export type Load = {
  organizations: number
  assets: number
  readers: number
  /** Messages a second that each reader publishes while it works, and reads in each. */
  messages: number
  reads: number
  /** Share of the assets that is seen in an average minute, 0 to 1. */
  seen: number
  movesPerDay: number
  /** Requests a second, on average over the working hours. */
  requests: number
  /** Hours a day in which readers work. */
  hours: number
  /** Days that history is kept. */
  retention: number
}

export const TYPICAL: Omit<Load, 'organizations'> = {
  assets: 500,
  readers: 5,
  messages: 1,
  reads: 20,
  seen: 0.6,
  movesPerDay: 2_000,
  requests: 0.2,
  hours: 10,
  retention: RETENTION_DAYS,
}

/** What it takes. Rates are per second of the working hours; cores are busy ones, bytes are stored ones of one copy. */
export type Needs = {
  messagesPerSecond: number
  readsPerSecond: number
  rowsPerSecond: number
  rowsPerDay: number
  movesPerSecond: number
  requestsPerSecond: number
  connections: number
  cores: { reads: number; rows: number; deliveries: number; requests: number; total: number }
  historyBytesPerDay: number
  historyBytes: number
  catalogBytes: number
  scansBytes: number
  scansBytesPerSecond: number
  eventsBytes: number
  catalogStreamBytes: number
  trackingBytes: number
}

/** The arithmetic of docs/scaling.md. */
export function sizing(load: Load): Needs {
  const { organizations: n } = load
  const cost = UNIT_COSTS
  const seconds = load.hours * 3_600
  const messagesPerSecond = n * load.readers * load.messages
  const readsPerSecond = messagesPerSecond * load.reads
  const rowsPerSecond = (n * load.assets * load.seen) / 60
  const rowsPerDay = rowsPerSecond * seconds
  const movesPerSecond = (n * load.movesPerDay) / seconds
  const requestsPerSecond = n * load.requests
  const busy = (rate: number, us: number) => (rate * us) / 1e6
  const cores = {
    reads: busy(readsPerSecond, cost.readUs),
    rows: busy(rowsPerSecond, cost.rowUs),
    deliveries: busy(movesPerSecond, cost.deliveryUs),
    requests: busy(requestsPerSecond, cost.requestUs),
  }
  const scansBytesPerSecond = messagesPerSecond * (cost.messageBytes + load.reads * cost.readBytes)
  const tags = 1.2
  return {
    messagesPerSecond,
    readsPerSecond,
    rowsPerSecond,
    rowsPerDay,
    movesPerSecond,
    requestsPerSecond,
    connections: n * load.readers,
    cores: { ...cores, total: Object.values(cores).reduce((sum, each) => sum + each, 0) },
    historyBytesPerDay: rowsPerDay * cost.rowBytes,
    historyBytes: rowsPerDay * cost.rowBytes * load.retention,
    catalogBytes: n * load.assets * cost.assetBytes,
    scansBytes: scansBytesPerSecond * load.hours * 3_600 * (SCANS_HOURS / 24),
    scansBytesPerSecond,
    eventsBytes: n * load.movesPerDay * EVENTS_DAYS * cost.eventBytes,
    catalogStreamBytes: n * load.assets * (1 + tags) * cost.catalogBytes,
    trackingBytes: cost.processBytes + n * load.assets * cost.assetInMemoryBytes,
  }
}
