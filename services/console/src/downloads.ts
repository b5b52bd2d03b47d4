import { withoutQuery } from '@whereabouts/service-kit/http/error-handler'
import { namesType } from '@whereabouts/service-kit/http/headers/accept'
import type { FastifyInstance } from 'fastify'
import { createHash } from 'node:crypto'
import { downloadsPage, type Download } from './downloads-page.ts'
import { FOREVER, pageOf, readBuilt, type Page } from './pages.ts'
import { securityHeaders } from './security-headers.ts'
import { sendFile, sendMissing } from './send-file.ts'

/** The built packages of the clients and the collections by path, and their index for programs and for people. */
export type Downloads = ReadonlyMap<string, Page>

const BASE = '/downloads/'
const FOR_PROGRAMS = `${BASE}index.json`

/** What a file is for, by the end of its name. */
const USES: Readonly<Record<string, Download['language']>> = {
  '.tgz': 'JavaScript',
  '-py3-none-any.whl': 'Python',
  '.postman_collection.json': 'Postman',
  '.bruno.zip': 'Bruno',
}

const VERSION = /-(\d+\.\d+\.\d+[^-]*?)(?:\.tgz|-py3-none-any\.whl)$/

/** Reads the built packages once at startup. `publicUrl`: where people reach them. */
export async function readDownloads(folder: URL, publicUrl: string): Promise<Downloads> {
  const files = await readBuilt(folder, {
    base: BASE,
    name: 'packages of the clients',
    builtBy: 'client-types',
  })
  const byPath = new Map(files)
  const base = `${publicUrl.replace(/\/+$/, '')}${BASE}`
  // That of the packages: a collection has none in its name.
  const [version = ''] = [...files.keys()].flatMap((path) => VERSION.exec(path)?.[1] ?? [])
  const data: Download[] = []
  for (const [path, page] of files) {
    const name = path.slice(BASE.length)
    const language = Object.entries(USES).find(([end]) => name.endsWith(end))?.[1]
    if (language === undefined) continue
    const body = await page.bodyIn('identity')
    const sha256 = createHash('sha256').update(body).digest('hex')
    byPath.set(`${BASE}${sha256}/${name}`, { ...page, cacheControl: FOREVER })
    data.push({ name, version, language, size: body.length, sha256, url: `${base}${sha256}/${name}` })
  }
  byPath.set(FOR_PROGRAMS, pageOf(FOR_PROGRAMS, Buffer.from(`${JSON.stringify({ data }, null, 2)}\n`)))
  byPath.set(BASE, pageOf('index.html', Buffer.from(downloadsPage(base, data))))
  return byPath
}

/**
 * Serves the packages of the clients, to everybody. Under its name a package is the one of this release; with its SHA-256
 * before the name, no other bytes can come.
 */
export function addDownloads(app: FastifyInstance, downloads: Downloads, shell: Page): void {
  for (const url of [BASE.slice(0, -1), `${BASE}*`])
    app.get(url, async (request, reply) => {
      const path = withoutQuery(request.url)
      if (!path.startsWith(BASE)) return reply.redirect(BASE)
      const isIndex = path === BASE
      const page = downloads.get(
        isIndex && !namesType(request.headers.accept, 'text/html') ? FOR_PROGRAMS : path,
      )
      reply.headers(securityHeaders())
      return page
        ? sendFile(request, reply, page, isIndex ? 'accept, ' : '')
        : sendMissing(request, reply, shell)
    })
}
