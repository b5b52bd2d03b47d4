import { startReplica, type ReplicaOptions } from './replica.fixture.ts'

// A process that handles messages until it is told to stop (SIGTERM) or killed.
const replica = await startReplica(JSON.parse(process.argv[2] ?? '{}') as ReplicaOptions)
process.once('SIGTERM', () => void replica.stop().then(() => process.exit(0)))
process.send?.('started')
