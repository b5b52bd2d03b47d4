import { LoginRefusedError } from '@whereabouts/messaging/readers/reader-connection'
import type { PlannedReader } from '../warehouse.ts'

type Transport = PlannedReader['transport']

export type Problems = {
  down(transport: Transport, error: Error): void
  up(transport: Transport): void
}

/** Reports each problem once for all readers and attempts, until a reader logs in. */
export function createProblems(onProblem: (text: string) => void): Problems {
  const reported: Record<Transport, Set<string>> = { mqtt: new Set(), nats: new Set() }
  return {
    down(transport, error) {
      const text = describe(transport, error)
      if (reported[transport].has(text)) return
      reported[transport].add(text)
      onProblem(text)
    },
    up(transport) {
      reported[transport].clear()
    },
  }
}

function describe(transport: Transport, error: Error): string {
  const subject = `Simulated readers over ${transport.toUpperCase()}`
  const advice =
    error instanceof LoginRefusedError
      ? 'If the reader key was revoked, the next start creates a new one.'
      : 'Retrying.'
  return `${subject}: ${error.message}. ${advice}`
}
