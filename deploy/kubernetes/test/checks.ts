import { routes } from '@whereabouts/contracts/routes'
import type { z } from 'zod'
import { networkProblems } from './network.ts'
import { connectionProblems } from './connections.ts'
import { environments, unusedSources } from './environment.ts'
import { drainProblems, graceProblems } from './grace.ts'
import { hardeningProblems } from './hardening.ts'
import type { Manifest } from './manifest.ts'
import { referenceProblems } from './references.ts'
import { schemaProblems } from './schemas.ts'
import { selectorProblems } from './selectors.ts'
import type { Size } from '../../workshop/sizing/sizes.ts'
import { sizeProblems } from './sizes.ts'
import { timeoutProblems } from './timeouts.ts'
import { variableProblems } from './variables.ts'

export type Expectations = {
  /** The variables that each program reads. */
  schemas: Readonly<Record<string, z.ZodObject>>
  /** Service → phases of its shutdown. */
  phases: Readonly<Record<string, number>>
  /** Service → database connections outside its pool. */
  connections: Readonly<Record<string, number>>
}

/** All problems of a rendered overlay that can be found without a cluster. */
export async function problemsOf(
  objects: readonly Manifest[],
  secrets: readonly Manifest[],
  size: Size,
  { schemas, phases, connections }: Expectations,
): Promise<string[]> {
  const given = environments(objects, secrets)
  return [
    ...(await schemaProblems(objects)),
    ...selectorProblems(objects, size),
    ...referenceProblems(objects, secrets),
    ...unusedSources(objects, secrets),
    ...hardeningProblems(objects, size),
    ...variableProblems(given, schemas),
    ...networkProblems(objects, given),
    ...graceProblems(objects, given, phases),
    ...drainProblems(given),
    ...timeoutProblems(objects, routes),
    ...connectionProblems(objects, given, connections),
    ...sizeProblems(objects, given, size),
  ]
}
