import { stopLeftoverNats } from './servers/nats-server.ts'
import { stopLeftoverPostgresOf } from './servers/postgres.ts'
import { stopLeftoverService } from './service-process.ts'
import { SERVICES } from './services.ts'
import { natsDir, postgresDir } from './stack-servers.ts'

/**
 * Ends what a killed run left on this data: the services first, which would otherwise complain about the servers. Only
 * for the holder of the data folder (`claimDataDir`): what a living launcher runs is no leftover.
 */
export async function stopLeftovers(dataDir: string, onNote: (note: string) => void): Promise<void> {
  const note = (name: string, pid: number | undefined) => {
    if (pid !== undefined) onNote(`stopped ${name} left over from a killed run (pid ${pid})`)
  }
  await Promise.all(SERVICES.map(async (name) => note(name, await stopLeftoverService(name, dataDir))))
  const [postgres, nats] = await Promise.all([
    stopLeftoverPostgresOf(postgresDir(dataDir)),
    stopLeftoverNats(natsDir(dataDir)),
  ])
  note('PostgreSQL', postgres)
  note('nats-server', nats)
}
