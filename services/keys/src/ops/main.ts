import { text } from 'node:stream/consumers'
import type { Usage } from '@whereabouts/contracts/messages/usage'
import { openDatabase } from '@whereabouts/db/connect/database'
import { reloadServers, type ReloadedServer } from '@whereabouts/messaging/connect/ask-servers'
import { brokerLogin, connect, type Broker } from '@whereabouts/messaging/connect/connection'
import { brokerEnv, loadEnv } from '@whereabouts/service-kit/service/env'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { z } from 'zod'
import { Config } from '../config.ts'
import type { KeysDatabase } from '../db.ts'
import { askUsage } from '../limits/usage.queries.ts'
import { readArguments } from './arguments/arguments.ts'
import type { Request } from './arguments/request.ts'
import { describeFailure, OpsError } from './failures.ts'
import { perform } from './perform.ts'

/** A running relay polls every 100 ms; a replica takes over from a dead one within about a second. */
const PUBLISH_TIMEOUT_MS = 5_000

async function main(argv: readonly string[]): Promise<void> {
  const reading = readArguments(argv)
  if ('help' in reading) return printResult(reading.help)
  if ('wrong' in reading) throw new OpsError('usage', reading.wrong)
  await withDatabase(reading.request)
}

async function withDatabase(request: Request): Promise<void> {
  const { DATABASE_URL } = loadEnv(Config.pick({ DATABASE_URL: true }), process.env)
  const database = openDatabase<KeysDatabase>(DATABASE_URL, { max: 2, name: 'keys-ops' })
  try {
    await perform(request, {
      db: database.db,
      signingKeySecret,
      readPassword,
      print: printResult,
      usageElsewhere,
      reloadBrokers,
      publicUrl: process.env['PUBLIC_URL'] || undefined,
      issuer: process.env['OIDC_ISSUER'] || undefined,
      publishTimeoutMs: PUBLISH_TIMEOUT_MS,
    })
  } finally {
    await database.close()
    await (await broker)?.close()
  }
}

function signingKeySecret(): Buffer {
  const { SIGNING_KEY_SECRET } = loadEnv(Config.pick({ SIGNING_KEY_SECRET: true }), process.env)
  return Buffer.from(SIGNING_KEY_SECRET, 'base64url')
}

let broker: Promise<Broker> | undefined

async function usageElsewhere(orgId: number): Promise<Usage[]> {
  const config = loadEnv(z.object(brokerEnv), process.env)
  broker ??= connect({ ...brokerLogin(config), name: 'keys-ops', logger: createLogger('keys-ops', 'silent') })
  return askUsage(await broker, orgId)
}

async function reloadBrokers(): Promise<ReloadedServer[]> {
  const { NATS_SYSTEM_PASSWORD: password, ...config } = loadEnv(
    Config.pick({ NATS_URL: true, NATS_CA_FILE: true, NATS_SYSTEM_PASSWORD: true }),
    process.env,
  )
  const login = brokerLogin({ ...config, NATS_USER: 'system', NATS_PASSWORD: password })
  broker = connect({ ...login, name: 'keys-ops', logger: createLogger('keys-ops', 'silent') })
  return reloadServers(await broker)
}

const readPassword = async () => (await text(process.stdin)).replace(/\r?\n$/, '')

const printResult = (line: string) => print(process.stdout, line)

const print = (stream: NodeJS.WriteStream, line: string) => void stream.write(`${line.trimEnd()}\n`)

const argv = process.argv.slice(2)
try {
  await main(argv)
} catch (error) {
  const { exitCode, text: line, json } = describeFailure(error)
  print(process.stderr, argv.includes('--json') ? JSON.stringify(json, null, 2) : line)
  process.exitCode = exitCode
}
