import { withoutQuery } from '@whereabouts/service-kit/http/error-handler'
import type { FastifyInstance } from 'fastify'
import { createHash } from 'node:crypto'
import { readBuilt, type Page } from './pages.ts'
import { securityHeaders } from './security-headers.ts'
import { sendFile, sendMissing } from './send-file.ts'

type DocsPage = Page & { headers: Readonly<Record<string, string>> }

/** The built documentation: every file by path, and the page for paths that do not exist. */
export type Docs = { byPath: ReadonlyMap<string, DocsPage>; notFound: DocsPage | undefined }

const BASE = '/docs/'
const NOT_FOUND = `${BASE}404`

/** Reads the built documentation once at startup. */
export async function readDocs(folder: URL): Promise<Docs> {
  const files = await readBuilt(folder, {
    base: BASE,
    hashed: `${BASE}assets/`,
    name: 'documentation',
    builtBy: 'docs',
  })
  const byPath = new Map<string, DocsPage>()
  for (const [path, page] of files) {
    const html = path.endsWith('.html') ? (await page.bodyIn('identity')).toString() : ''
    const cleanPath = path.replace(/(?:(?<=\/)index)?\.html$/, '')
    byPath.set(cleanPath, { ...page, headers: securityHeaders(digestsOfInlineScripts(html)) })
  }
  const notFound = byPath.get(NOT_FOUND)
  byPath.delete(NOT_FOUND)
  return { byPath, notFound }
}

const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g

const digestsOfInlineScripts = (html: string) =>
  Array.from(html.matchAll(INLINE_SCRIPT), ([, script = '']) => {
    const digest = createHash('sha256').update(script).digest('base64')
    return `'sha256-${digest}'`
  })

const LLMS = '/llms.txt'

/** The list of pages for language models, if the path is its one at the root. */
export const llmsOf = ({ byPath }: Docs, path: string): Page | undefined =>
  path === LLMS ? byPath.get(`${BASE.slice(0, -1)}${LLMS}`) : undefined

/** Serves the documentation. A page has one path, without extension; the index of a folder ends with a slash. */
export function addDocs(app: FastifyInstance, { byPath, notFound }: Docs): void {
  // The menu of the documentation links only below its own path.
  app.get(`${BASE}api`, async (_request, reply) => reply.redirect('/api'))
  for (const url of [BASE.slice(0, -1), `${BASE}*`])
    app.get(url, async (request, reply) => {
      const path = withoutQuery(request.url)
      const page = byPath.get(path)
      const index = `${path}/`
      if (!page && byPath.has(index)) return reply.redirect(index)
      if (page) return sendFile(request, reply.headers(page.headers), page)
      return sendMissing(request, reply.headers(notFound?.headers ?? securityHeaders()), notFound)
    })
}
