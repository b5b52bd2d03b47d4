import { writeSync } from 'node:fs'
import { startReplica, type ReplicaOptions, type Step } from './replica.fixture.ts'

// A process that dies at the first message that reaches a step, like with kill -9.
const { step, ...options } = JSON.parse(process.argv[2] ?? '{}') as ReplicaOptions & { step: Step }

await startReplica({
  ...options,
  at: (reached) => {
    if (reached !== step) return
    writeSync(1, reached)
    process.kill(process.pid, 'SIGKILL')
  },
})
