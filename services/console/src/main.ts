import { buildInfo } from '@whereabouts/service-kit/observe/build-info'
import { isSecure } from '@whereabouts/service-kit/service/env'
import { createServiceLogger } from '@whereabouts/service-kit/observe/logging'
import { createRegistry } from '@whereabouts/service-kit/observe/metrics'
import { startOps } from '@whereabouts/service-kit/service/ops'
import { drainPhase, runUntilSignal, start } from '@whereabouts/service-kit/service/run'
import { startTracing } from '@whereabouts/service-kit/observe/spans'
import { buildApp } from './app.ts'
import { loadConfig } from './config.ts'
import { readDocs } from './docs.ts'
import { readPages } from './pages.ts'
import { sessionCookie } from './session/cookie.ts'
import { keysClient } from './session/keys.ts'

await start('console', async () => {
  const config = loadConfig(process.env)
  const log = createServiceLogger('console', config.LOG_LEVEL)
  const registry = createRegistry('console')
  const tracing = await startTracing({ service: 'console', log, config })
  const pages = await readPages(new URL('../dist/', import.meta.url))
  const docs = await readDocs(new URL('../dist-docs/', import.meta.url))
  const keys = keysClient(config.KEYS_URL)
  const settings = {
    version: buildInfo().version,
    reader_nats_url: config.READER_NATS_URL ?? null,
    reader_mqtt_url: config.READER_MQTT_URL ?? null,
  }
  const app = buildApp({
    log,
    registry,
    pages,
    docs,
    settings,
    cookie: sessionCookie(isSecure(config)),
    deviceCookie: sessionCookie(isSecure(config), 'device'),
    callKeys: keys.call,
  })
  await app.listen({ host: config.HOST, port: config.PORT })
  const ops = await startOps({ host: config.HOST, port: config.OPS_PORT, registry, ready: () => ({}) })
  runUntilSignal(
    [
      drainPhase({ ops, app, drainMs: config.DRAIN_MS }),
      { name: 'requests', run: () => app.close() },
      { name: 'connections to keys', run: () => keys.close() },
      { name: 'traces', run: () => tracing.stop() },
      { name: 'ops', run: () => ops.close() },
    ],
    { graceMs: config.SHUTDOWN_GRACE_MS, log },
  )
})
