import { LoginRefusedError } from '@whereabouts/messaging/reader-connection'
import type { PlannedReader } from '../demo/warehouse.ts'

type Transport = PlannedReader['transport']

export type Problems = {
  down(transport: Transport, error: Error): void
  up(transport: Transport): void
}

/** Tells each problem once, however many readers have it and however often they try, until one of them gets through. */
export function createProblems(onProblem: (text: string) => void): Problems {
  const told: Record<Transport, Set<string>> = { mqtt: new Set(), nats: new Set() }
  return {
    down(transport, error) {
      const text = describe(transport, error)
      if (told[transport].has(text)) return
      told[transport].add(text)
      onProblem(text)
    },
    up(transport) {
      told[transport].clear()
    },
  }
}

function describe(transport: Transport, error: Error): string {
  const who = `Simulated readers over ${transport.toUpperCase()}`
  const advice =
    error instanceof LoginRefusedError
      ? 'Was the reader key revoked? The next start makes a new one.'
      : 'Trying again until it works.'
  return `${who}: ${error.message}. ${advice}`
}
