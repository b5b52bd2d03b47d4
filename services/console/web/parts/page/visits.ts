import { useEffect } from 'react'
import { useSession } from '../../session/use-session.ts'

/** A page of one thing that the person opened. `type`: of an asset. */
export type Visit = { kind: 'asset' | 'location' | 'reader'; id: number; name: string; type?: string }

const KEPT = 6

/** People who share a browser do not see the visits of each other. */
const keyOf = (orgId: number, userId: number) => `whereabouts-visits-${orgId}-${userId}`

/** Remembers a page of one thing, once the thing is loaded. */
export function useVisit(kind: Visit['kind'], thing: Omit<Visit, 'kind'> | undefined): void {
  const { org, user } = useSession()
  const key = keyOf(org.id, user.id)
  const { id, name, type } = thing ?? {}
  useEffect(() => {
    if (id === undefined || name === undefined) return
    const others = read(key).filter((visit) => visit.id !== id)
    try {
      localStorage.setItem(key, JSON.stringify([{ kind, id, name, type }, ...others].slice(0, KEPT)))
    } catch {
      // full or forbidden: the finder shows no recent things
    }
  }, [key, kind, id, name, type])
}

/** The last few, newest first. */
export function useVisits(): readonly Visit[] {
  const { org, user } = useSession()
  return read(keyOf(org.id, user.id))
}

function read(key: string): Visit[] {
  try {
    const visits: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(visits) ? visits.filter(isVisit) : []
  } catch {
    return []
  }
}

/** An earlier release may have written something else. */
function isVisit(value: unknown): value is Visit {
  if (typeof value !== 'object' || value === null) return false
  const { kind, id, name } = value as Record<string, unknown>
  return (
    (kind === 'asset' || kind === 'location' || kind === 'reader') &&
    typeof id === 'number' &&
    typeof name === 'string'
  )
}
