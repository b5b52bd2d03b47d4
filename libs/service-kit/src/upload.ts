import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { finished, Transform, type Readable } from 'node:stream'
import type { Route } from '@whereabouts/contracts/route'
import { dropBody } from './drop-body.ts'
import { bodyBrokenOff, bodyTooLarge } from './errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is no more than this, and is handed over as it arrives instead of whole. */
    uploadBytes?: number
  }
}

/** For the options of a route: what `streamBodies` and the time limit of bodies go by. */
export const uploadConfig = ({ upload }: Route) => (upload ? { uploadBytes: upload.maxBytes } : {})

/** Bodies of this scope's routes become streams: `request.body` is what `uploadOf` returns. */
export function streamBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (request, _payload, done) => {
    done(null, uploadOf(request.raw, request.routeOptions.config.uploadBytes ?? 0))
  })
  // A handler that never looked at the file must not leave it standing on the connection.
  scope.addHook('onResponse', async ({ body }) => {
    if (body instanceof Transform) body.destroy()
  })
}

/** Throws 413 when the request announces more than the row takes. */
export function checkAnnouncedSize({ upload }: Route, { headers }: FastifyRequest): void {
  if (upload && Number(headers['content-length']) > upload.maxBytes) throw tooLarge(upload.maxBytes)
}

const tooLarge = (maxBytes: number) => bodyTooLarge(maxBytes / 2 ** 20)

/**
 * The body as it arrives. Fails with 413 beyond `maxBytes` and with `bodyBrokenOff` when the client goes away. It is a
 * stream of its own because who refuses a file half way destroys it: destroying the request would end the connection
 * before the refusal is out. What is still to come is then read and dropped, but no more than was welcome.
 */
function uploadOf(raw: IncomingMessage, maxBytes: number): Readable {
  let received = 0
  const upload = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length
      if (received > maxBytes) done(tooLarge(maxBytes))
      else done(null, chunk)
    },
  })
  raw.pipe(upload)
  finished(raw, { writable: false }, (error) => {
    if (error) upload.destroy(bodyBrokenOff())
  })
  upload.once('close', () => {
    if (!raw.readableEnded) dropBody(raw, maxBytes - received)
  })
  return upload
}
