import { buildInfo } from '@whereabouts/service-kit/observe/build-info'
import { isSecure } from '@whereabouts/service-kit/service/env'
import { part } from '@whereabouts/service-kit/service/part'
import { served, type Frame } from '@whereabouts/service-kit/service/run'
import { buildApp } from './app.ts'
import type { loadConfig } from './config.ts'
import { readDocs } from './docs.ts'
import { readDownloads } from './downloads.ts'
import { readPages } from './pages.ts'
import { sessionCookie } from './session/cookie.ts'
import { keysClient } from './session/keys.ts'

/** The parts of the console. It serves from memory what its builds have when it starts. */
export async function consoleParts(frame: Frame<ReturnType<typeof loadConfig>>) {
  const { config, log, registry } = frame
  const keys = keysClient(config.KEYS_URL)
  const app = buildApp({
    log,
    registry,
    pages: await readPages(new URL('../dist/', import.meta.url)),
    docs: await readDocs(new URL('../dist-docs/', import.meta.url)),
    downloads: await readDownloads(new URL('../dist-downloads/', import.meta.url), config.PUBLIC_URL),
    settings: {
      version: buildInfo().version,
      reader_nats_url: config.READER_NATS_URL ?? null,
      reader_mqtt_url: config.READER_MQTT_URL ?? null,
    },
    cookie: sessionCookie(isSecure(config)),
    deviceCookie: sessionCookie(isSecure(config), 'device'),
    signOnCookie: sessionCookie(isSecure(config), 'sign_on'),
    callKeys: keys.call,
  })
  const connections = part('connections to keys', { start: () => keys, stop: (open) => open.close() })
  return served(frame, app, { ready: () => ({}) }, (api) => [api, connections])
}
