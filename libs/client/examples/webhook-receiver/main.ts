// A webhook receiver as a small program. docs/integrating.md explains it.
import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { accessTokens } from '../../src/access-tokens.ts'
import { createClient, type Client } from '../../src/client.ts'
import { openPlaces } from './places.ts'
import { receiver } from './receive.ts'
import { reconcile, repeat } from './reconcile.ts'
import { HELP, readSettings, type Settings } from './settings.ts'

/** Writes one line of JSON. Names come from outside and must not be able to add lines. */
const say = (what: string, fields: object = {}) =>
  process.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), what, ...fields })}\n`)

const FETCH_TIMEOUT_MS = 15_000

function apiClient({ baseUrl }: Settings, key: NonNullable<Settings['key']>): Client {
  const fetchInTime = (request: Request) => fetch(request, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) })
  const options = { baseUrl, fetch: fetchInTime, userAgent: 'webhook-receiver-example/1' }
  return createClient({ ...options, getToken: accessTokens(createClient(options), key) })
}

/** A request must arrive within ten seconds, so that clients cannot keep connections open for nothing. */
function createServer({ tls }: Settings, listener: RequestListener): Server {
  const limits = { requestTimeout: 10_000, headersTimeout: 5_000, connectionsCheckingInterval: 1_000 }
  return tls ? createHttpsServer({ ...limits, ...tls }, listener) : createHttpServer(limits, listener)
}

async function run(settings: Settings): Promise<void> {
  const places = openPlaces(settings.dataFile)
  const reconciling = startReconciling(settings)
  const { secrets, path, toleranceSeconds } = settings
  const onStale = () => reconciling?.soon()
  const server = createServer(settings, receiver({ secrets, path, toleranceSeconds, places, onStale, say }))
  try {
    await once(server.listen(settings.port, settings.host), 'listening')
    const { port } = server.address() as AddressInfo
    say('listening', { url: `${settings.tls ? 'https' : 'http'}://${settings.host}:${port}${path}` })
    reconciling?.start(places)
    await stopSignal()
  } finally {
    server.close()
    server.closeIdleConnections()
    await reconciling?.stop()
    places.close()
  }
}

function startReconciling(settings: Settings) {
  if (!settings.key) {
    say('not reconciling: CLIENT_ID and CLIENT_SECRET are not set, so missed events stay missed')
    return undefined
  }
  const client = apiClient(settings, settings.key)
  return repeat(settings.reconcileSeconds, (places, signal) => reconcile(client, places, signal), say)
}

const stopSignal = () =>
  new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })

try {
  const settings = readSettings(process.argv.slice(2), process.env)
  if (settings === 'help') process.stdout.write(HELP)
  else await run(settings)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}
