import { nameOf, podGroups } from './manifest.ts'
import type { Manifest } from './manifest.ts'

const LAME_DUCK_SECONDS = 120 + 10 // the defaults of nats-server

/**
 * Whether a pod's grace period is long enough for its shutdown: draining plus `phases` times the grace of a phase.
 */
export function graceProblems(
  objects: readonly Manifest[],
  environments: ReadonlyMap<string, Record<string, string>>,
  phases: Readonly<Record<string, number>>,
): string[] {
  return podGroups(objects).flatMap(({ owner, name, spec }) => {
    const given = spec?.terminationGracePeriodSeconds ?? 30
    const count = phases[name]
    const needed =
      name === 'nats' ? LAME_DUCK_SECONDS : count && secondsOf(count, environments.get(name) ?? {})
    if (!spec || needed === undefined || needed < given) return []
    return [`${nameOf(owner)} may take ${needed} s to end and is killed after ${given}`]
  })
}

const secondsOf = (phases: number, { DRAIN_MS = '0', SHUTDOWN_GRACE_MS = '10000' }: Record<string, string>) =>
  (Number(DRAIN_MS) + phases * Number(SHUTDOWN_GRACE_MS)) / 1000

/** The drain, the API and the other port: `served` adds them to the parts of each service. */
const PARTS_OF_ALL = 3

/** Counts the phases of a shutdown: the parts in a parts.ts, and those that all services have. */
export const phasesIn = (source: string): number => [...source.matchAll(/\bpart\('/g)].length + PARTS_OF_ALL

/** The gateway must close idle connections before a stopping service closes its port. */
export function drainProblems(environments: ReadonlyMap<string, Record<string, string>>): string[] {
  const idleMs = Number(environments.get('gateway')?.['UPSTREAM_KEEP_ALIVE_MS'])
  return [...environments].flatMap(([name, { DRAIN_MS }]) =>
    DRAIN_MS === undefined || Number(DRAIN_MS) > idleMs
      ? []
      : [`${name} drains for ${DRAIN_MS} ms, but the gateway keeps idle connections for ${idleMs} ms`],
  )
}
