// The process of `startFloor`: answers each request with the rows of the statement in its body, and does nothing else.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import pg from 'pg'
import type { Statement } from './questions.ts'
import { prepared, types } from './ways.ts'

const [, , url] = process.argv
const pool = new pg.Pool({ connectionString: url, max: 10, types })

async function rowsFor(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const statement = JSON.parse(Buffer.concat(parts).toString()) as Statement
  const { rows } = await pool.query(prepared(statement))
  return JSON.stringify({ data: rows })
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await rowsFor(request)
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  response.writeHead(200, headers).end(body)
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
})
server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
process.on('disconnect', () => process.exit(0))
