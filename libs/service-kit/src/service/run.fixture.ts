import { z } from 'zod'
import { createServer } from '../http/server.ts'
import { commonEnv, loadEnv } from './env.ts'
import { part } from './part.ts'
import { runService, served } from './run.ts'

/** A service whose broker is there, away, or refuses us while a request is running. */
const Config = z.object({ ...commonEnv, BROKER: z.enum(['there', 'away', 'refuses', 'stuck']) })

await runService(
  'example',
  () => loadEnv(Config, process.env),
  (frame) => {
    const { config, log, registry } = frame
    const held = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const app = createServer({ log, registry })
    app.get('/held', async () => {
      log.info('request held')
      held.resolve()
      await released.promise
      return 'answered'
    })
    app.addHook('preClose', async () => released.resolve())
    app.addHook('onListen', async () => log.info({ address: app.listeningOrigin }, 'listens'))
    const connect = {
      there: async () => undefined,
      stuck: async () => undefined,
      away: () => new Promise<void>(() => undefined),
      refuses: () =>
        held.promise.then(() => {
          throw new Error('wrong password')
        }),
    }
    const broker = part('broker', {
      start: connect[config.BROKER],
      stop: () => config.BROKER === 'stuck' && new Promise(() => undefined),
    })
    const outbox = part('outbox', { needs: broker, start: () => undefined, stop: () => undefined })
    const database = part('database', { start: () => undefined, stop: () => undefined })
    return served(frame, app, { ready: () => ({}) }, (api) => [api, outbox, broker, database])
  },
)
