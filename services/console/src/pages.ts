import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

export type Encoding = 'br' | 'gzip' | 'identity'
type Page = { type: string; cacheControl: string; etag: string; bodies: ReadonlyMap<Encoding, Buffer> }

/** The built web app: every file by path, and the page for all screens. */
export type Pages = { byPath: ReadonlyMap<string, Page>; shell: Page }

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
/** The build puts files with a content hash in their name here. */
const HASHED = '/static/'
const FOREVER = 'public, max-age=31536000, immutable'
/** Browsers revalidate on each visit, so that a release shows immediately. The ETag makes it a 304. */
const REVALIDATE = 'no-cache'

/** Reads and compresses the built files once at startup. */
export async function readPages(folder: URL): Promise<Pages> {
  const root = fileURLToPath(folder)
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw new Error('the web app has not been built: run `pnpm --filter @whereabouts/console build`', {
      cause,
    })
  })
  const byPath = new Map<string, Page>()
  for (const entry of entries.filter((each) => each.isFile())) {
    const file = join(entry.parentPath, entry.name)
    const path = `/${relative(root, file).replaceAll('\\', '/')}`
    byPath.set(path, pageOf(path, await readFile(file)))
  }
  const shell = byPath.get('/index.html')
  if (!shell) throw new Error('the web app was built without index.html')
  byPath.delete('/index.html')
  return { byPath, shell }
}

function pageOf(path: string, body: Buffer): Page {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  return {
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    cacheControl: path.startsWith(HASHED) ? FOREVER : REVALIDATE,
    etag,
    bodies: new Map<Encoding, Buffer>([
      ['identity', body],
      ['gzip', gzipSync(body)],
      ['br', brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } })],
    ]),
  }
}

/** Higher levels take seconds at each start and save one percent. */
const QUALITY = 9

/** The smallest body that `Accept-Encoding` allows. */
export function bodyFor(page: Page, acceptEncoding = ''): { encoding: Encoding; body: Buffer } {
  const accepted = new Set(
    acceptEncoding
      .split(',')
      .filter((part) => !/;\s*q=0(?:\.0*)?\s*$/.test(part))
      .map((part) => part.split(';', 1)[0]?.trim().toLowerCase()),
  )
  const encoding = (['br', 'gzip'] as const).find((each) => accepted.has(each)) ?? 'identity'
  return { encoding, body: page.bodies.get(encoding) ?? Buffer.alloc(0) }
}
