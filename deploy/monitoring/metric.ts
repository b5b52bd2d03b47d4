type Service = 'gateway' | 'keys' | 'catalog' | 'tracking' | 'webhook-dispatcher' | 'console'
type Values = readonly string[] | 'open'

/** One metric of the services. `test/operator/metrics.test.ts` holds this list against what running services expose. */
export type Metric = {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  services: readonly Service[]
  /** Beside `service`, which all have. `open`: a set that is bounded by the code but not worth listing. */
  labels: Readonly<Record<string, Values>>
  meaning: string
  /** What it shows to be kept or broken. */
  promise: string
}

export const ALL: readonly Service[] = [
  'gateway',
  'keys',
  'catalog',
  'tracking',
  'webhook-dispatcher',
  'console',
]
export const WITH_BROKER: readonly Service[] = [
  'gateway',
  'keys',
  'catalog',
  'tracking',
  'webhook-dispatcher',
]
export const OUTBOXES: readonly Service[] = ['keys', 'catalog', 'tracking']
export const WATCHING: readonly Service[] = ['tracking', 'webhook-dispatcher']
export const FOLLOWING: readonly Service[] = ['gateway', 'tracking', 'webhook-dispatcher']
export const DURABLES = [
  'tracking-ingest',
  'tracking-ingest-mqtt',
  'tracking-overflow',
  'tracking-catalog',
  'tracking-placements',
  'webhook-dispatcher-lanes',
]
/** In which nothing is kept for ever. */
export const BOUNDED_STREAMS = [
  'NO_SCANS',
  'SCANS',
  'OVERFLOW',
  'DEAD',
  '$MQTT_msgs',
  '$MQTT_sess',
  '$MQTT_rmsgs',
  '$MQTT_qos2in',
  '$MQTT_out',
]
export const STREAMS = [...BOUNDED_STREAMS, 'CATALOG', 'KEYS', 'EVENTS', 'PLACEMENTS']
export const CONNECTIONS = ['services', 'mqtt-services', 'system', 'callout']
export const WORKS = [
  'bucket-purge',
  'signing-key-refresh',
  'disconnects',
  'misplaced-readers',
  'flood-watch',
  'signing-key-rotation',
  'token-purge',
  'keys-census',
  'imports',
  'import-purge',
  'import-census',
  'partitions',
  'reader-census',
  'broker-watch',
  'webhook-reseal',
  'webhook-census',
]

export const counter = (
  name: string,
  services: readonly Service[],
  labels: Metric['labels'],
  meaning: string,
  promise: string,
): Metric => ({ name, type: 'counter', services, labels, meaning, promise })
export const gauge = (...of: Parameters<typeof counter>): Metric => ({ ...counter(...of), type: 'gauge' })
export const histogram = (...of: Parameters<typeof counter>): Metric => ({
  ...counter(...of),
  type: 'histogram',
})
