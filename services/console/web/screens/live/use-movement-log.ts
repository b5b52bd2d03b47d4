import { useEffect, useRef, useState } from 'react'
import { useMovements } from '../../live/use-live.ts'
import { addEntries, emptyLog, type Entry, type MovementLog } from './movement-log.ts'
import { count, type Rate } from './rate.ts'

/** Entries are rendered in batches, so that the list changes a few times a second at most. */
const BATCH_MS = 200

/** The movements since the screen was opened. */
export function useMovementLog(): {
  log: MovementLog
  rate: Rate
  change: (work: (log: MovementLog) => MovementLog) => void
} {
  const [log, setLog] = useState(emptyLog)
  const [rate, setRate] = useState<Rate>(new Map())
  const arrived = useRef<Entry[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const add = (entry: Entry) => {
    arrived.current.push(entry)
    timer.current ??= setTimeout(() => {
      const entries = arrived.current
      arrived.current = []
      timer.current = undefined
      setLog((before) => addEntries(before, entries))
      const movements = entries.filter(({ kind }) => kind === 'moved').length
      setRate((before) => count(before, movements, Date.now()))
    }, BATCH_MS)
  }
  useMovements({
    onMovement: (movement) => add({ kind: 'moved', key: movement.delivery_id, movement }),
    onReset: () => add({ kind: 'gap', key: `gap-${Date.now()}`, at: new Date().toISOString() }),
  })
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
  return { log, rate, change: setLog }
}
