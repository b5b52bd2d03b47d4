import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Encoding } from '@whereabouts/service-kit/http/headers/encoding'

export type Page = {
  type: string
  cacheControl: string
  etag: string
  bodyIn: (encoding: Encoding) => Promise<Buffer>
}

/** The built web app: every file by path, and the page for all screens. */
export type Pages = { byPath: ReadonlyMap<string, Page>; shell: Page }

const TYPES: Readonly<Record<string, string>> = {
  '': 'text/plain; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.tgz': 'application/gzip',
  '.txt': 'text/plain; charset=utf-8',
  '.whl': 'application/zip',
  '.woff2': 'font/woff2',
  '.zip': 'application/zip',
}
export const FOREVER = 'public, max-age=31536000, immutable'
/** Browsers revalidate on each visit, so that a release shows immediately. The ETag makes it a 304. */
const REVALIDATE = 'no-cache'

/** Reads the built web app once at startup. */
export async function readPages(folder: URL): Promise<Pages> {
  const byPath = await readBuilt(folder, {
    base: '/',
    hashed: '/static/',
    name: 'web app',
    builtBy: 'console',
  })
  const shell = byPath.get('/index.html')
  if (!shell) throw new Error('the web app was built without index.html')
  byPath.delete('/index.html')
  return { byPath, shell }
}

/** `hashed`: where the build puts files with a hash of their content in their name, if it does. */
type Build = { base: string; hashed?: string; name: string; builtBy: string }

/** The files of a build by path. */
export async function readBuilt(
  folder: URL,
  { base, hashed, name, builtBy }: Build,
): Promise<Map<string, Page>> {
  const root = fileURLToPath(folder)
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw new Error(`the ${name} has not been built: run \`pnpm --filter @whereabouts/${builtBy} build\``, {
      cause,
    })
  })
  const byPath = new Map<string, Page>()
  for (const entry of entries.filter((each) => each.isFile())) {
    const file = join(entry.parentPath, entry.name)
    const path = `${base}${relative(root, file).replaceAll('\\', '/')}`
    byPath.set(path, pageOf(path, await readFile(file), hashed))
  }
  return byPath
}

/** What is sent for a path. */
export function pageOf(path: string, body: Buffer, hashed?: string): Page {
  return {
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    cacheControl: hashed !== undefined && path.startsWith(hashed) ? FOREVER : REVALIDATE,
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    bodyIn: compressor(body),
  }
}

const brotliAsync = promisify(brotliCompress)
const gzipAsync = promisify(gzip)
/** Higher levels take several times as long and save one percent. */
const QUALITY = 9

/** Compresses on the first request: at the start, all files would take seconds. */
function compressor(body: Buffer): Page['bodyIn'] {
  const compress = {
    identity: async () => body,
    gzip: async () => gzipAsync(body),
    br: async () => brotliAsync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }),
  }
  const bodies = new Map<Encoding, Promise<Buffer>>()
  return (encoding) => {
    const known = bodies.get(encoding) ?? compress[encoding]()
    bodies.set(encoding, known)
    return known
  }
}
