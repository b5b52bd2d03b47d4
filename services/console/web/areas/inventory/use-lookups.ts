import { useNetwork } from '@mantine/hooks'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { type LookupQueue, openLookups } from './lookup-queue.ts'
import { type Found, lookUp } from '../../parts/load/lookups.ts'

export type Lookups = Pick<LookupQueue, 'add' | 'askAgain'> & {
  found: Found
  /** `waiting`: offline. `failed`: repeated every few seconds. */
  state: 'asking' | 'waiting' | 'failed'
}

/** What the values name. Each is looked up as soon as it is in the list. */
export function useLookups(values: readonly string[]): Lookups {
  const [queue] = useState(() => openLookups(lookUp))
  const { found, hasFailed } = useSyncExternalStore(queue.subscribe, queue.get)
  const { online } = useNetwork()
  useEffect(() => queue.want(values, online), [queue, values, online])
  useEffect(() => queue.stop, [queue])
  const state = online ? (hasFailed ? 'failed' : 'asking') : 'waiting'
  return { found, state, add: queue.add, askAgain: queue.askAgain }
}
