// The last step of a restore, before the services start again. See docs/backup.md.
import { mkdirSync } from 'node:fs'
import { resolve, join } from 'node:path'
import { openDatabase } from '@whereabouts/db/connect/database'
import { skipIssued } from '@whereabouts/db/minted-ids'
import { brokerLogin, connect } from '@whereabouts/messaging/connect/connection'
import { rewindDurable } from '@whereabouts/messaging/state/restore'
import { rewoundDurables } from '@whereabouts/messaging/connect/topology'
import { databaseEnv, loadEnv } from '@whereabouts/service-kit/service/env'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { z } from 'zod'
import { runCommand } from '../command.ts'
import { TopologyConfig } from '../step-config.ts'
import { applyBrokerTopology } from '../installation/broker-topology.ts'
import { Client } from 'pg'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { ROOT } from '../installation/services.ts'

const HELP = `node deploy/backup/after-restore.ts    make database and streams agree after a restore; safe to run again

Run it after the database was restored, the streams were lost or restored, or both, and before the services start. It
fails while a service is connected to the database.

Environment
  RESTORED          database   the database was restored from a backup, with or without the streams
                    streams    only the streams were lost or restored; the database is unchanged
  SCANS_SINCE       with RESTORED=database, an RFC 3339 time well before the backup was taken: scans that arrived since
                    are stored again. Default: all scans in SCANS, which is also correct but slower
  REPORT_DIR        folder for reports that need a decision; default: the current folder
  CATALOG_DATABASE_URL, TRACKING_DATABASE_URL, KEYS_DATABASE_URL, WEBHOOKS_DATABASE_URL
                    as for deploy/migrate.ts, which runs before this step
  NATS_URL, NATS_USER, NATS_PASSWORD, NATS_CA_FILE   as for the services
  STREAM_REPLICAS, SCAN_PARTITIONS, SCANS_MAX_BYTES  as for deploy/apply-topology.ts
`
const address = databaseEnv.DATABASE_URL
const Config = z.object({
  RESTORED: z.enum(['database', 'streams']),
  SCANS_SINCE: z.iso.datetime({ offset: true }).optional(),
  REPORT_DIR: z.string().default('.'),
  CATALOG_DATABASE_URL: address,
  TRACKING_DATABASE_URL: address,
  KEYS_DATABASE_URL: address,
  WEBHOOKS_DATABASE_URL: address,
  ...TopologyConfig.shape,
})
type Config = z.output<typeof Config>

async function main(): Promise<string> {
  const config = loadEnv(Config, process.env)
  await refuseWhileServicesRun(config)
  const report = resolve(config.REPORT_DIR)
  mkdirSync(report, { recursive: true })
  await prepareStreams(config)
  // Keys first: revoked keys stay revoked even if the rest fails and the services start.
  await runService('keys', config.KEYS_DATABASE_URL, config, report)
  await runService('catalog', config.CATALOG_DATABASE_URL, config, report)
  if (config.RESTORED === 'database') await catchUpSinceBackup(config)
  return 'database and streams agree: start the services'
}

/** A running service could undo this work or act on half of it. */
async function refuseWhileServicesRun(config: Config): Promise<void> {
  const urls = [config.CATALOG_DATABASE_URL, config.TRACKING_DATABASE_URL, config.KEYS_DATABASE_URL, config.WEBHOOKS_DATABASE_URL] // oxfmt-ignore
  const running = (await Promise.all(urls.map((url) => runningServices(url)))).flat()
  if (running.length > 0) throw new Error(`stop the services first: ${running.join(', ')} is connected`)
}

async function prepareStreams(config: Config): Promise<void> {
  await applyBrokerTopology(brokerLogin(config), {
    replicas: config.STREAM_REPLICAS,
    partitions: config.SCAN_PARTITIONS,
    ...(config.SCANS_MAX_BYTES !== undefined && { scansMaxBytes: config.SCANS_MAX_BYTES }),
  })
  say('streams and consumers are up to date')
}

const RESTORE = {
  keys: 'services/keys/src/restore/main.ts',
  catalog: 'services/catalog/src/republish/restore/main.ts',
}

function runService(service: 'keys' | 'catalog', databaseUrl: string, config: Config, report: string) {
  const { RESTORED, NATS_URL, NATS_USER, NATS_PASSWORD, NATS_CA_FILE } = config
  return runServiceProgram(RESTORE[service], {
    args: ['--restored', RESTORED, '--report', report],
    env: {
      DATABASE_URL: databaseUrl,
      NATS_URL,
      NATS_USER,
      NATS_PASSWORD,
      ...(NATS_CA_FILE !== undefined && { NATS_CA_FILE }),
    },
  })
}

/** Scans that arrived after the backup are stored again. Ids that were issued since then are skipped. */
async function catchUpSinceBackup(config: Config): Promise<void> {
  for (const url of [config.TRACKING_DATABASE_URL, config.WEBHOOKS_DATABASE_URL]) {
    const database = openDatabase<unknown>(url, { max: 1, name: 'after-restore' })
    await skipIssued(database.db).finally(() => database.close())
  }
  const since = config.SCANS_SINCE === undefined ? undefined : new Date(config.SCANS_SINCE)
  await withBroker(config, async (broker) => {
    for (const durable of rewoundDurables) await rewindDurable(broker, durable, since)
  })
  say(`scans that arrived since ${since?.toISOString() ?? 'the beginning of SCANS'} will be stored again`)
}

async function withBroker(
  config: Config,
  work: (broker: Awaited<ReturnType<typeof connect>>) => Promise<void>,
) {
  const logger = createLogger('after-restore', 'warn')
  const broker = await connect({ ...brokerLogin(config), name: 'after-restore', logger })
  await work(broker).finally(() => broker.close())
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

await runCommand('after-restore', HELP, main)

/** The application names of all sessions of this schema owner and of the other roles of its service. */
async function runningServices(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      `select distinct coalesce(nullif(application_name, ''), usename) as name from pg_stat_activity
       where usename in (current_user, current_user || '_tenant', current_user || '_worker') and datname = current_database() and pid <> pg_backend_pid() order by 1`,
    )
    return rows.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

/** Runs a program of a service and shows its output. Rejects when it fails. */
async function runServiceProgram(
  file: string,
  { args, env }: { args: readonly string[]; env: Record<string, string> },
): Promise<void> {
  // Variables of the shell, such as a DATABASE_URL, must not reach it.
  const child = spawn(process.execPath, [join(ROOT, file), ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${file} ended with ${code === null ? 'a signal' : `exit code ${code}`}`)
}
