import pg from 'pg'
import { fillCatalog, NEIGHBOURS, ORG_ID, readTagValues, sizeOf, type Size } from './catalog-fill.ts'
import { fillTracking, readsPerAsset } from './fill.ts'
import type { Things } from './questions.ts'

type Urls = { catalog: string; admin: string }

/** Fills catalog and tracking, unless they are filled. Throws for data of another size. */
export async function fillThings(
  urls: Urls,
  { assets, rows }: { assets: number; rows: number },
  say: (text: string) => void,
): Promise<Things> {
  const [size, reads] = [sizeOf(assets), readsPerAsset(assets, rows)]
  say(
    `Filling: ${assets} assets, ${size.locations} locations; ${NEIGHBOURS} other organizations, together of ` +
      `the same size; about ${rows} rows of history in 13 months, ${reads} of each asset …\n`,
  )
  const tagValues = await ensureCatalog(urls.catalog, size)
  return { ...(await fillTracking(urls.admin, reads)), tagValues, assets }
}

async function ensureCatalog(url: string, size: Size): Promise<string[]> {
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  try {
    const { rows } = await owner.query<{ assets: string }>(
      'select count(*) as assets from asset where org_id in ($1, $2)',
      [ORG_ID, NEIGHBOURS + 1], // the measured organization, and the last one to be filled
    )
    const found = Number(rows[0]?.assets)
    if (found === 0) return await fillCatalog(url, size)
    if (found !== size.assets + Math.ceil(size.assets / NEIGHBOURS))
      throw new Error(`the data has ${found} assets: use another folder`)
    return await readTagValues(owner)
  } finally {
    await owner.end()
  }
}
