import { LINKS, READER_LINKS, RECEIVER_LINKS, REPLICAS, SERVER_LINKS, UPSTREAM_LINKS } from './targets.ts'

/** What is true of all faults of a kind. Times are in milliseconds. */
type Rule = {
  /** How often it is chosen, compared with the others. */
  weight: number
  targets: readonly string[]
  /** The shortest and the longest. */
  ms: readonly [number, number]
  /** Delay in ms, bytes per second, or shift of a clock in ms; with `signed`, in either direction. */
  amount?: readonly [number, number]
  signed?: true
  /** Needs a file system of its own, which only root may mount. */
  needsMount?: true
}

const RECEIVERS = new Set(RECEIVER_LINKS)
const READERS = new Set(READER_LINKS)
const otherLinks = LINKS.filter((link) => !RECEIVERS.has(link))
/** Shorter than the six seconds between the first and the last attempt of a delivery, so that none is given up. */
const BELOW_RETRIES = 4_000

const KINDS = {
  kill: { weight: 6, targets: REPLICAS, ms: [300, 8_000] },
  'power-loss': { weight: 3, targets: REPLICAS, ms: [300, 8_000] },
  terminate: { weight: 4, targets: REPLICAS, ms: [0, 3_000] },
  freeze: { weight: 5, targets: REPLICAS, ms: [500, 15_000] },
  clock: { weight: 3, targets: REPLICAS, ms: [3_000, 20_000], amount: [500, 20_000], signed: true },
  cut: { weight: 6, targets: otherLinks, ms: [300, 10_000] },
  silence: { weight: 5, targets: otherLinks, ms: [500, 12_000] },
  slow: { weight: 4, targets: LINKS, ms: [2_000, 15_000], amount: [10, 250] },
  throttle: { weight: 3, targets: LINKS, ms: [2_000, 12_000], amount: [20_000, 200_000] },
  'lost-connection': {
    weight: 4,
    targets: [...SERVER_LINKS, ...UPSTREAM_LINKS, ...READER_LINKS],
    ms: [0, 0],
  },
  'cut-receiver': { weight: 2, targets: RECEIVER_LINKS, ms: [300, BELOW_RETRIES] },
  'silence-receiver': { weight: 1, targets: RECEIVER_LINKS, ms: [500, BELOW_RETRIES] },
  'reader-clock': {
    weight: 2,
    targets: [...READERS],
    ms: [3_000, 20_000],
    amount: [1_000, 90_000],
    signed: true,
  },
  'broker-kill': { weight: 2, targets: ['broker'], ms: [0, 5_000] },
  'broker-restart': { weight: 2, targets: ['broker'], ms: [0, 5_000] },
  'broker-freeze': { weight: 1, targets: ['broker'], ms: [500, 10_000] },
  'broker-disk-full': { weight: 1, targets: ['broker'], ms: [2_000, 8_000], needsMount: true },
  'database-restart': { weight: 2, targets: ['postgres'], ms: [0, 5_000] },
  'database-crash': { weight: 2, targets: ['postgres'], ms: [0, 5_000] },
  'database-backend-crash': { weight: 1, targets: ['postgres'], ms: [0, 0] },
  'database-disk-full': { weight: 1, targets: ['postgres'], ms: [2_000, 8_000], needsMount: true },
} as const satisfies Record<string, Rule>

export type Kind = keyof typeof KINDS
export const kinds = Object.keys(KINDS) as Kind[]
export const ruleOf = (kind: Kind): Rule => KINDS[kind]
