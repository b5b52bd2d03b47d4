import { stopLeftoverNats } from '../servers/nats-server.ts'
import { stopLeftoverPostgresOf } from '../servers/postgres.ts'
import { stopLeftoverService } from './service-process.ts'
import { SERVICES } from '../../installation/services.ts'
import { natsDir, postgresDir } from './stack-servers.ts'

/**
 * Stops the processes that a killed run left on this data, services before servers. Only for the holder of the data
 * folder (`claimDataDir`): processes of a running launcher are not leftovers.
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
