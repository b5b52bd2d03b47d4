import type { Stack } from '@whereabouts/deploy/local/stack'
import type { NatsConnection } from 'nats'
import type { Worker } from './drain.ts'
import type { Floor } from './floors.ts'
import type { Warehouse } from './warehouse.ts'

export type Settings = {
  warehouse: Warehouse
  messages: number
  minutes: number
  rounds: number
  delaySeconds: number
  /** Movements a second while the delay is measured. */
  perSecond: number
}

/** The input of every part of the benchmark. */
export type Bench = {
  stack: Stack
  nc: NatsConnection
  floor: Floor
  settings: Settings
  say: (text: string) => void
}

export function trackingOf(stack: Stack): Worker {
  const { pid } = stack.service('tracking')
  if (pid === undefined) throw new Error('tracking does not run')
  return { pid, durable: 'tracking-ingest' }
}
