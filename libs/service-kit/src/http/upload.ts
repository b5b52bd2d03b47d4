import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { finished, Transform, type Readable } from 'node:stream'
import type { Route } from '@whereabouts/contracts/route'
import { dropBody } from './drop-body.ts'
import { bodyEndedEarly, bodyTooLarge } from '../errors/errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Largest size of the body. The handler gets it as a stream. */
    uploadBytes?: number
  }
}

/** Route options that `streamBodies` and the plugin `body-time` read. */
export const uploadConfig = ({ upload }: Route) => (upload ? { uploadBytes: upload.maxBytes } : {})

/** Makes the bodies of this scope's routes streams: `request.body` is the result of `uploadOf`. */
export function streamBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (request, _payload, done) => {
    done(null, uploadOf(request.raw, request.routeOptions.config.uploadBytes ?? 0))
  })
  // The rest of a file that the handler did not read must not block the connection.
  scope.addHook('onResponse', async ({ body }) => {
    if (body instanceof Transform) body.destroy()
  })
}

/** Throws 413 if the `content-length` of the request is larger than the row allows. */
export function checkAnnouncedSize({ upload }: Route, { headers }: FastifyRequest): void {
  if (upload && Number(headers['content-length']) > upload.maxBytes) throw bodyTooLarge(upload.maxBytes)
}

/**
 * The body as a stream. Fails with 413 beyond `maxBytes` and with `bodyEndedEarly` if the client disconnects. It is a
 * separate stream because a handler that refuses a file destroys it: destroying the request would end the connection
 * before the refusal is sent. The rest of the body is read and dropped, see `dropBody`.
 */
function uploadOf(raw: IncomingMessage, maxBytes: number): Readable {
  let received = 0
  const upload = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length
      if (received > maxBytes) done(bodyTooLarge(maxBytes))
      else done(null, chunk)
    },
  })
  raw.pipe(upload)
  finished(raw, { writable: false }, (error) => {
    if (error) upload.destroy(bodyEndedEarly())
  })
  upload.once('close', () => {
    if (!raw.readableEnded) dropBody(raw, maxBytes - received)
  })
  return upload
}
