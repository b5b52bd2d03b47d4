import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

type Page = { status: number; type: string; cacheControl: string; etag: string; body: Buffer }

const HTML = 'text/html; charset=utf-8'
/** A page is asked about each time, so that a release shows at once; it answers 304 from its ETag. */
const ASK_AGAIN = 'no-cache'

/** Everything there is, by path. Other paths get `notFound`. */
export type Pages = { byPath: ReadonlyMap<string, Page>; notFound: Page }

/** Reads `public/` once: the files are part of the release and do not change while it runs. */
export async function readPages(folder: URL): Promise<Pages> {
  const page = async (file: string, options: Pick<Page, 'status' | 'type' | 'cacheControl'>) => {
    const body = await readFile(new URL(file, folder))
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
    return { ...options, etag, body }
  }
  const [index, style, notFound] = await Promise.all([
    page('index.html', { status: 200, type: HTML, cacheControl: ASK_AGAIN }),
    page('style.css', { status: 200, type: 'text/css; charset=utf-8', cacheControl: 'public, max-age=3600' }),
    page('not-found.html', { status: 404, type: HTML, cacheControl: 'no-store' }),
  ])
  return {
    byPath: new Map([
      ['/', index],
      ['/style.css', style],
    ]),
    notFound,
  }
}
