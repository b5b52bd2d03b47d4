/** The services that run twice. */
export const REPLICATED = ['keys', 'catalog', 'tracking', 'webhook-dispatcher', 'gateway'] as const

export const REPLICAS = REPLICATED.flatMap((service) => [`${service}-1`, `${service}-2`] as const)

export const serviceOf = (replica: string): string => replica.replace(/-\d$/, '')

/** Organizations of a round, and how readers reach the broker. */
export const ORGANIZATIONS = [0, 1, 2] as const
export const TRANSPORTS = ['nats', 'mqtt'] as const

/** What the gateway calls. */
export const UPSTREAMS = ['keys', 'catalog', 'tracking', 'webhook-dispatcher'] as const

const gateways = ['gateway-1', 'gateway-2'] as const

/** The connections that can be cut and slowed, as `from>to`. */
export const SERVER_LINKS = REPLICAS.flatMap((replica) => [`${replica}>postgres`, `${replica}>broker`])
export const UPSTREAM_LINKS = gateways.flatMap((gateway) =>
  UPSTREAMS.map((service) => `${gateway}>${service}`),
)
export const READER_LINKS = ORGANIZATIONS.flatMap((n) => TRANSPORTS.map((by) => `reader-${n}-${by}>broker`))
export const RECEIVER_LINKS = ORGANIZATIONS.map((n) => `webhook-dispatcher>receiver-${n}`)
export const CLIENT_LINK = 'clients>gateway'
export const LINKS = [...SERVER_LINKS, ...UPSTREAM_LINKS, ...READER_LINKS, ...RECEIVER_LINKS, CLIENT_LINK]
