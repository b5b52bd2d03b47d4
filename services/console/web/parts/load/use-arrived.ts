import { type Key, useState } from 'react'

/** Tells which rows of a list arrived live: those that were not there when it first rendered. */
export function useArrived(keys: readonly Key[]): (key: Key) => boolean {
  const [first] = useState(() => new Set(keys))
  return (key) => !first.has(key)
}
