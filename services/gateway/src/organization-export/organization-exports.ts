import type { FloorPlan } from '@whereabouts/contracts/resources/catalog/floor-plans'
import type { OperationId } from '@whereabouts/contracts/routes'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { RequestClient } from '@whereabouts/service-kit/observe/request-client'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Agent } from 'undici'
import type { GatewayDeps } from '../deps.ts'
import { headersOfOurs } from '../proxy/headers.ts'
import { archive, type Entry } from './archive.ts'
import { files } from './files.ts'
import { ReadFailed, readsOf, type Reads } from './reads.ts'
import { readme } from './readme.ts'
import { runningExports } from './running.ts'

const OPERATION: OperationId = 'exportOrg'
const CONNECT_TIMEOUT_MS = 2_000
/** A service that sends nothing for this long, although it could, is gone. */
const SILENCE_MS = 60_000

type Deps = Pick<GatewayDeps, 'upstreams' | 'timeoutsMs' | 'log' | 'metrics'>

const isExport = ({ routeOptions }: FastifyRequest) => routeOptions.config.operationId === OPERATION

/**
 * Makes the export of an organization (ADR 129) from the answer of keys, which has recorded it, and from reads of all services as
 * the same caller.
 */
export function organizationExports({ upstreams, timeoutsMs, log, metrics }: Deps) {
  const running = runningExports()
  const dispatcher = new Agent({
    keepAliveTimeout: timeoutsMs.keepAlive,
    keepAliveMaxTimeout: timeoutsMs.keepAlive,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: timeoutsMs.read,
    bodyTimeout: SILENCE_MS,
  })

  return {
    /** Counts an export until its response has ended. Throws 429. */
    admit: (request: FastifyRequest, reply: FastifyReply): void => {
      const { caller } = request
      if (!isExport(request) || !caller) return
      reply.raw.once('close', running.begin(caller.principal.orgId))
    },

    /** What the client gets in place of the answer of keys; of other rows, that answer. */
    assemble: (request: FastifyRequest, reply: FastifyReply, answer: Readable): Readable => {
      const { caller } = request
      if (!isExport(request) || !caller || request.method !== 'GET' || reply.statusCode !== 200) return answer
      const { orgId } = caller.principal
      const client = new RequestClient(reply.raw)
      const reads = readsOf({
        orgId,
        dispatcher,
        upstreams,
        signal: client.signal,
        headersFor: async (upstream) => headersOfOurs(request, await caller.lastingTokenFor(upstream)),
      })
      const madeAt = new Date()
      const output = archive(entries(answer, reads, madeAt), madeAt)
      output.once('error', (err: Error) => {
        if (client.hasLeft || err instanceof AppError) return // its administrator has left, or lost access
        if (err instanceof ReadFailed)
          metrics.failures.inc({ upstream: err.upstream, reason: 'invalid_response' })
        log.error({ err, org_id: orgId, request_id: request.id }, 'organization export broke off')
      })
      return output
    },

    close: () => dispatcher.destroy(),
  }
}

async function* entries(answer: Readable, reads: Reads, madeAt: Date): AsyncGenerator<Entry> {
  const organization = await text(answer)
  const { name } = JSON.parse(organization) as { name: string }
  const first = { name: 'organization.ndjson', about: 'The organization, in one line.' }
  yield { name: 'README.txt', content: once(readme(name, madeAt, [first, ...files])) }
  yield { name: first.name, content: once(organization) }
  for (const file of files) yield { name: file.name, content: file.rows(reads) }
  const images = new Map((await reads.floorPlans()).flatMap(imageOf))
  for (const [hash, path] of images) yield { name: path, content: reads.image(hash) }
}

const imageOf = ({ image }: FloorPlan): [string, string][] =>
  image ? [[image.hash, `floor-plans/${image.hash}`]] : []

async function* once(content: string): AsyncGenerator<string> {
  yield content
}
