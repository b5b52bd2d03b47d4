import type { FastifyInstance } from 'fastify'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { scriptPath } from './paths.ts'

/** The standalone build for a script tag. The rest of the package (46 MB) is not served. */
const SCRIPT = new URL('browser/standalone.js', import.meta.resolve('@scalar/api-reference'))

const compress = promisify(gzip)

/** Serves the script of the interactive pages, once per browser and release, and returns its path. */
export async function addScript(app: FastifyInstance): Promise<string> {
  const digest = createHash('sha256')
    .update(await readFile(SCRIPT))
    .digest('base64url')
    .slice(0, 22)
  let compressed: Promise<Buffer> | undefined // made on the first request: 1.2 MB that many gateways never need
  const path = scriptPath(digest)
  app.get(path, async (request, reply) => {
    const etag = `"${digest}"`
    reply.headers({ etag, 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' })
    if (request.headers['if-none-match'] === etag) return reply.status(304).send()
    reply.type('text/javascript; charset=utf-8')
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? ''))
      return reply.send(createReadStream(SCRIPT))
    compressed ??= readFile(SCRIPT).then((bytes) => compress(bytes, { level: 9 }))
    return reply.header('content-encoding', 'gzip').send(await compressed)
  })
  return path
}
