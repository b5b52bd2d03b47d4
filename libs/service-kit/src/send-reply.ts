import {
  CSV_CONTENT_TYPE,
  CSV_MEDIA_TYPE,
  JSON_MEDIA_TYPE,
  TOTAL_COUNT_HEADER,
  type Route,
} from '@whereabouts/contracts/route'
import type { FastifyReply } from 'fastify'
import { Readable } from 'node:stream'
import { prefers } from './accept.ts'
import { csvFile } from './csv.ts'

/** Sends what a handler returned, with the status of the row. */
export function sendReply({ success }: Route, reply: FastifyReply, body: unknown): FastifyReply {
  reply.status(success.status)
  if (success.download !== undefined) return sendFile(success.download, reply, body)
  if (success.csv) return sendList(success.csv, reply, body as List)
  return success.status === 204 ? reply.send() : reply.send(body)
}

type List = { data: Parameters<typeof csvFile>[1]; total_count: number }

/** Sends CSV if the client prefers it, else JSON. */
function sendList(columns: readonly string[], reply: FastifyReply, list: List): FastifyReply {
  reply.header('vary', 'Accept')
  if (!prefers(reply.request.headers.accept, CSV_MEDIA_TYPE, JSON_MEDIA_TYPE)) return reply.send(list)
  reply.header(TOTAL_COUNT_HEADER, String(list.total_count))
  return reply.type(CSV_CONTENT_TYPE).send(csvFile(columns, list.data))
}

/**
 * Sends the file while it is made. A failure ends the connection, so that the client notices that the file is
 * incomplete. For HEAD no file is made.
 */
function sendFile(type: string | readonly string[], reply: FastifyReply, content: unknown): FastifyReply {
  const isHead = reply.request.method === 'HEAD'
  if (typeof type === 'string') reply.type(type)
  if (content instanceof Readable) {
    if (!isHead) return reply.send(content)
    content.destroy() // it may hold resources
  }
  const parts = isHead ? [] : (content as AsyncIterable<string>)
  return reply.send(Readable.from(parts, { objectMode: false }))
}
