import {
  CSV_CONTENT_TYPE,
  CSV_MEDIA_TYPE,
  JSON_MEDIA_TYPE,
  TOTAL_COUNT_HEADER,
  type Route,
} from '@whereabouts/contracts/route'
import type { FastifyReply } from 'fastify'
import { Readable } from 'node:stream'
import { jsonInSlices } from '../limits/slices.ts'
import { prefers } from './headers/accept.ts'
import { isKnownTo } from './headers/conditions.ts'
import { csvFile } from './csv.ts'

/** Sends what a handler returned, with the status of the row. */
export async function sendReply(
  { success, conditional }: Route,
  reply: FastifyReply,
  body: unknown,
): Promise<FastifyReply> {
  if (conditional && isUnchanged(reply)) return reply.status(304).header('vary', 'Accept-Encoding').send()
  reply.status(success.checked && body !== undefined ? 200 : success.status)
  if (success.download !== undefined) return sendFile(success.download, reply, body)
  if (success.csv && !(body instanceof ListText) && prefersCsv(reply.request.headers))
    return sendList(success.csv, reply, body as List)
  if (success.csv) reply.header('vary', 'Accept')
  return success.status === 204 ? reply.send() : sendJson(reply, body)
}

/** The client has it already. PATCH has an entity tag too, but only a read may be answered with 304. */
function isUnchanged(reply: FastifyReply): boolean {
  const etag = reply.getHeader('etag')
  const isRead = reply.request.method === 'GET' || reply.request.method === 'HEAD'
  return isRead && typeof etag === 'string' && isKnownTo(reply.request.headers, etag)
}

/** Rows of a list that are made into text at once. More are made in slices, because each may have a large text. */
const FEW = 20

/** A handler returns it if it has the JSON of the rows already: `texts` has commas between them. Not for CSV. */
export class ListText {
  readonly json: string
  constructor(texts: string, rest: object) {
    this.json = `{"data":[${texts}],${JSON.stringify(rest).slice(1)}`
  }
}

async function sendJson(reply: FastifyReply, body: unknown): Promise<FastifyReply> {
  if (body instanceof ListText) return sendText(reply, body.json)
  if (typeof body !== 'object' || body === null || !('data' in body)) return reply.send(body)
  const { data, ...rest } = body
  if (!Array.isArray(data) || data.length <= FEW) return reply.send(body)
  const others = JSON.stringify(rest).slice(1)
  const text = `{"data":${await jsonInSlices(data)}${others === '}' ? '' : ','}${others}`
  return sendText(reply, text)
}

const sendText = (reply: FastifyReply, json: string) =>
  reply.type('application/json; charset=utf-8').send(json)

type List = { data: readonly Readonly<Record<string, unknown>>[]; total_count: number }

/** Whether a list that has a CSV form is sent in it. */
export const prefersCsv = ({ accept }: { accept?: string | undefined }): boolean =>
  prefers(accept, CSV_MEDIA_TYPE, JSON_MEDIA_TYPE)

/** A column such as `actor.name` is a field of a field. Other objects are JSON. */
const cellsOf = (columns: readonly string[], row: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(columns.map((column) => [column, cellOf(column.split('.').reduce(fieldOf, row))]))
const fieldOf = (of: unknown, name: string): unknown => (of as Record<string, unknown> | null)?.[name]
const cellOf = (value: unknown) =>
  typeof value === 'object' && value !== null
    ? JSON.stringify(value)
    : (value as string | number | boolean | null)

function sendList(columns: readonly string[], reply: FastifyReply, list: List): FastifyReply {
  reply.header('vary', 'Accept')
  reply.header(TOTAL_COUNT_HEADER, String(list.total_count))
  return reply.type(CSV_CONTENT_TYPE).send(
    csvFile(
      columns,
      list.data.map((row) => cellsOf(columns, row)),
    ),
  )
}

/**
 * Sends the file while it is made. A failure ends the connection, so that the client notices that the file is
 * incomplete. For HEAD no file is made. With `content-range` it is a part of the file.
 */
function sendFile(type: string | readonly string[], reply: FastifyReply, content: unknown): FastifyReply {
  const isHead = reply.request.method === 'HEAD'
  if (typeof type === 'string') reply.type(type)
  if (reply.hasHeader('content-range')) reply.status(206)
  if (content instanceof Readable) {
    if (!isHead) return reply.send(content)
    content.destroy() // it may hold resources
  }
  const parts = isHead ? [] : (content as AsyncIterable<string>)
  return reply.send(Readable.from(parts, { objectMode: false }))
}
