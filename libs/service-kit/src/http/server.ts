import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerOptions,
} from 'fastify'
import { handleError } from './error-handler.ts'
import type { Registry } from '../observe/metrics.ts'
import { BODY_TIMES, bodyTime, type BodyTimes } from './plugins/body-time.ts'
import { bytes } from './plugins/bytes.ts'
import { drain } from './plugins/drain.ts'
import { errors } from './plugins/errors.ts'
import { observe } from './plugins/observe.ts'
import { newRequestId, REQUEST_ID_HEADER } from './request-id.ts'

/**
 * The connection ends if the head of a request does not arrive in time. Node's defaults are a minute, checked every
 * 30 s. Node would answer a missing `Host` itself, without body and CORS headers, so that check is off; the gateway
 * refuses it with the envelope.
 */
const HTTP = { headersTimeout: 15_000, connectionsCheckingInterval: 5_000, requireHostHeader: false }

/** Options of the public port, which is behind proxies and answers malformed requests itself. */
export type EdgeOptions = StockOptions & { isPublic?: boolean; bodyTimes?: BodyTimes }
type StockOptions = Pick<FastifyServerOptions, 'trustProxy' | 'frameworkErrors' | 'clientErrorHandler'>

/** The Fastify instance of every service. It does not listen yet. The README says where it differs from stock Fastify. */
export function createServer(
  { log, registry }: { log: FastifyBaseLogger; registry: Registry },
  { isPublic = false, bodyTimes = BODY_TIMES, ...edge }: EdgeOptions = {},
): FastifyInstance {
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    requestIdHeader: REQUEST_ID_HEADER,
    genReqId: newRequestId,
    routerOptions: { querystringParser: () => ({}), maxParamLength: 300 }, // serve reads the raw query itself
    requestTimeout: bodyTimes.uploadMs,
    http: HTTP,
    frameworkErrors: handleError,
    ...edge,
  })
  app.register(observe, { registry, isPublic })
  app.register(bodyTime, bodyTimes)
  app.register(bytes)
  app.register(errors)
  app.register(drain)
  return app
}
