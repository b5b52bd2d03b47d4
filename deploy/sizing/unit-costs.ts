/**
 * What one of each takes, as measured: the section of test/bench/README.md that says how is named behind each figure. Processor
 * time is of one core of an AMD EPYC in microseconds, over all processes together. A measurement that changes a figure
 * changes it here, and `docs/scaling.md` with it.
 */
export const UNIT_COSTS = {
  /** A read of an asset and minute that is known already: ingest, `--only scale`, the dearest of three. */
  readUs: 4.3,
  /** A row of history with its position, each asset once in a batch: ingest, 48 000 rows/s on two cores. */
  rowUs: 42,
  /** An event from EVENTS to a 2xx, TLS and signature included: webhooks. */
  deliveryUs: 255,
  /** A GET through the gateway, bucket, service and database: edge, by id. */
  requestUs: 1_364,
  /** Of a request in the gateway alone: edge. */
  requestAtGatewayUs: 368,

  /** A row of history with its indexes: reports, 49.8 million rows in 13 GB. */
  rowBytes: 260,
  /** An asset with 1.2 tags in the tables and indexes of catalog and tracking: the demo of `npm start`. */
  assetBytes: 5_200,
  /** A message of a reader in SCANS: its subject, headers and what the broker adds; then a read in it. */
  messageBytes: 150,
  readBytes: 110,
  /** A movement in EVENTS, kept for seven days: the demo. */
  eventBytes: 494,
  /** An asset, tag or location in CATALOG, kept for ever: the demo. */
  catalogBytes: 531,

  /** An asset in the memory of each replica of tracking: ingest, `--only scale`. */
  assetInMemoryBytes: 1_100,
  /** A process of a service before it has done anything: the demo, the largest. */
  processBytes: 200e6,
} as const

/** Rows of history are spread over months: `RETENTION_DAYS` by default. */
export const RETENTION_DAYS = 400
export const SCANS_HOURS = 72
export const EVENTS_DAYS = 7
