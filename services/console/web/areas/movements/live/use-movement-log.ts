import { useEffect, useRef, useState } from 'react'
import { useMovements } from '../../../live/use-live.ts'
import { addEntries, addPast, emptyLog, type Entry, type MovementLog } from './movement-log.ts'
import { add, type Arrival, type Rate, rateFrom, rateOf } from './rate.ts'
import { usePast } from './use-past.ts'

/** Entries are rendered in batches, so that the list changes a few times a second at most. */
const BATCH_MS = 200
/** A connection may be lost for this long before that is noticed. */
const UNNOTICED_MS = 60_000

type Batch = { entries: Entry[]; arrivals: Arrival[] }

/** The movements of the last five minutes, and all since. Undefined `rate`: the past is not known yet. */
export function useMovementLog(): {
  log: MovementLog
  rate: Rate | undefined
  change: (work: (log: MovementLog) => MovementLog) => void
} {
  const [log, setLog] = useState(emptyLog)
  const [rate, setRate] = useState<Rate>()
  const batch = useRef<Batch>({ entries: [], arrivals: [] })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** While the past is loaded: what arrived meanwhile. The past may contain it. */
  const early = useRef<Arrival[]>(undefined)
  const { past, isUnknown, reload, liveUntil } = usePast(() => {
    early.current = []
  })

  const flush = () => {
    const { entries, arrivals } = batch.current
    batch.current = { entries: [], arrivals: [] }
    timer.current = undefined
    setLog((before) => addEntries(before, entries))
    early.current?.push(...arrivals)
    setRate((before) => before && add(before, arrivals))
  }
  const arrive = (entry: Entry, arrivals: Arrival[]) => {
    batch.current.entries.push(entry)
    batch.current.arrivals.push(...arrivals)
    timer.current ??= setTimeout(flush, BATCH_MS)
  }
  useMovements({
    onMovement: (movement, id) =>
      arrive({ kind: 'moved', key: movement.delivery_id, movement }, [{ id, atMs: Date.now() }]),
    onReset: () => {
      const knownUntil = new Date(liveUntil() - UNNOTICED_MS).toISOString()
      arrive({ kind: 'gap', key: `gap-${Date.now()}`, at: new Date().toISOString(), knownUntil }, [])
      reload()
    },
  })
  useEffect(() => {
    if (past === undefined && !isUnknown) return
    const arrivals = early.current ?? []
    early.current = undefined
    setRate(past ? rateOf(past, arrivals, Date.now()) : rateFrom(Date.now(), []))
    if (past) setLog((before) => addPast(before, past.movements, past.from))
  }, [past, isUnknown])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
  return { log, rate, change: setLog }
}
