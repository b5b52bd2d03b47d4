import { useEffect, useRef, useState } from 'react'
import { useMovements } from '../../live/use-live.ts'
import { addEntries, emptyLog, type Entry, type MovementLog } from './movement-log.ts'
import { count, type Rate } from './rate.ts'

/** Drawn together: however much moves, the list changes a few times a second. */
const TOGETHER_MS = 200

/** What moves while the screen is open. */
export function useMovementLog(): {
  log: MovementLog
  rate: Rate
  change: (work: (log: MovementLog) => MovementLog) => void
} {
  const [log, setLog] = useState(emptyLog)
  const [rate, setRate] = useState<Rate>(new Map())
  const arrived = useRef<Entry[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const take = (entry: Entry) => {
    arrived.current.push(entry)
    timer.current ??= setTimeout(() => {
      const entries = arrived.current
      arrived.current = []
      timer.current = undefined
      setLog((before) => addEntries(before, entries))
      const movements = entries.filter(({ kind }) => kind === 'moved').length
      setRate((before) => count(before, movements, Date.now()))
    }, TOGETHER_MS)
  }
  useMovements({
    onMovement: (movement) => take({ kind: 'moved', key: movement.delivery_id, movement }),
    onReset: () => take({ kind: 'gap', key: `gap-${Date.now()}`, at: new Date().toISOString() }),
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
