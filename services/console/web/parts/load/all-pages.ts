const PAGE = 200
/** As many requests at once as a browser sends to one host. */
const AT_ONCE = 5

type Page<Row> = { data: readonly Row[]; total_count: number }

/**
 * Up to `most` rows of a list, and how many there are. `load` gets one page; rows must have an order that does not change
 * meanwhile. A row that moved to another page while they loaded may be there twice or not at all.
 */
export async function allPages<Row>(
  load: (page: { limit: number; offset: number }) => Promise<Page<Row>>,
  most: number,
): Promise<{ rows: Row[]; total: number }> {
  const first = await load({ limit: PAGE, offset: 0 })
  const end = Math.min(first.total_count, most)
  const offsets = Array.from({ length: Math.max(0, Math.ceil(end / PAGE) - 1) }, (_, i) => (i + 1) * PAGE)
  const pages = [first]
  for (let at = 0; at < offsets.length; at += AT_ONCE) {
    const some = offsets.slice(at, at + AT_ONCE).map((offset) => load({ limit: PAGE, offset }))
    pages.push(...(await Promise.all(some)))
  }
  return { rows: pages.flatMap(({ data }) => data).slice(0, most), total: first.total_count }
}
