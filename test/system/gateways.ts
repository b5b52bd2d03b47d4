import { startReplica, type StackPlace } from './replicas.ts'

export type { StackPlace } from './replicas.ts'

export type ExtraGateway = { base: string; stop(): Promise<void> }

/** One more gateway on the database, broker and services of a stack, as a second replica. `env` is added to its own. */
export async function startGateway(
  place: StackPlace,
  env: Record<string, string> = {},
): Promise<ExtraGateway> {
  const { api, control } = await startReplica(place, 'gateway', { env })
  return { base: api, stop: () => control.stop() }
}
