import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import type { Catalog } from '../test/catalog.fixture.ts'
import { test } from '../test/imports.fixture.ts'
import { claimImport, releaseClaim, type Claim } from './bulk/imports/claims.queries.ts'
import { endImport } from './bulk/imports/end-import.ts'

type Headers = Record<string, string>

/** An export whose client has read the headers and no more. */
function halfRead(address: string, headers: Headers): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  request(`${address}/api/v1/exports/assets`, { headers }).on('response', resolve).on('error', reject).end()
  return promise
}

describe('running exports', () => {
  test('are limited to two per user and four per organization; one that ends or breaks off makes room', async ({
    catalog,
    service,
    address,
    otherOrg,
  }) => {
    await fill(catalog)
    const as = (userId: number, orgId = catalog.orgId) => service.callers.headersFor({ orgId, userId })
    const status = async (user: number, org?: number) =>
      (await catalog.call('GET', '/exports/locations', undefined, { user, ...(org && { org }) })).statusCode
    const [first, second] = [await halfRead(address, await as(1)), await halfRead(address, await as(1))]
    expect([first.statusCode, second.statusCode]).toEqual([200, 200])
    const refusal = await catalog.call('GET', '/exports/assets', undefined, { user: 1 })
    const detail = 'At most 2 exports of one user at a time'
    expect(refusal.json().error).toMatchObject({ type: 'rate_limited', status: 429, detail })
    expect(refusal.headers['retry-after']).toBe('5')
    const others = [await halfRead(address, await as(2)), await halfRead(address, await as(3))]
    expect([await status(4), await status(1, otherOrg)]).toEqual([429, 200])
    others[0]?.destroy()
    await expect.poll(() => status(4), { timeout: 15_000 }).toBe(200)
    first.resume() // reads it to the end
    await expect.poll(() => status(1), { timeout: 15_000 }).toBe(200)
    for (const one of [second, ...others]) one.destroy()
  })

  test('do not include one whose client left, or a HEAD', async ({ catalog }) => {
    for (let i = 0; i < 10; i += 1) {
      expect((await catalog.get('/exports/assets')).statusCode).toBe(200)
      expect((await catalog.call('HEAD' as 'GET', '/exports/assets')).statusCode).toBeLessThan(429)
    }
  })
})

/** More than the buffers of sockets. */
async function fill({ database, orgId }: Catalog): Promise<void> {
  await database.pool.query(
    `insert into asset (org_id, external_key, name, description, type, metadata, is_active, valid_from)
     select $1, 'K-' || n, 'x', repeat('x', 1024), 'asset', jsonb_build_object('a', repeat('x', 10000)), true, now()
     from generate_series(1, 2000) as n`,
    [orgId],
  )
}

test('running uploads are limited to three per user, also before the header has arrived', async ({
  catalog,
  service,
  address,
}) => {
  const headers = await service.callers.headersFor({ orgId: catalog.orgId, userId: 1 })
  const held = new Set<ClientRequest>()
  /** Retries an upload that was refused because a request below was running. */
  const hold = () => {
    const outgoing = request(`${address}/api/v1/imports?resource=assets`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'text/csv' },
    })
    held.add(outgoing)
    outgoing
      .on('error', () => undefined)
      .once('response', () => {
        held.delete(outgoing.destroy())
        hold()
      })
    outgoing.write('na') // the first line is not complete
  }
  for (let i = 0; i < 3; i += 1) hold()
  const send = async (user: number) => {
    const as = { user, mediaType: 'text/csv' }
    return (await catalog.call('POST', '/imports?resource=assets', '\n', as)).json().error.detail
  }
  try {
    await expect.poll(() => send(1), { timeout: 15_000 }).toBe('At most 3 uploads of one user at a time')
    expect(await send(2)).toMatch(/^The file is empty/)
  } finally {
    for (const outgoing of held) outgoing.removeAllListeners('response').destroy()
  }
  await expect.poll(() => send(1), { timeout: 15_000 }).toMatch(/^The file is empty/)
})

test("organizations take turns: five waiting imports of one do not delay another's", async ({
  catalog,
  files,
  otherOrg,
}) => {
  const { db } = catalog.database
  const worker = randomUUID()
  const claim = async () => {
    const claimed = await claimImport(db, worker)
    if (!claimed) throw new Error('nothing to do')
    return claimed
  }
  const finish = ({ org_id, id }: Claim) =>
    db.transaction().execute((tx) => endImport(tx, { org_id, id, dry_run: false, file_id: id }, 'done'))
  const own: number[] = []
  for (const user of [1, 1, 1]) own.push((await files.send('assets', `name\n${user}\n`)).id)
  const theirs = [await files.send('assets', 'name\nb\n', { org: otherOrg })]
  const first = await claim()
  expect(first.id).toBe(own[0])
  await finish(first)
  const second = await claim()
  expect(second.id).toBe(theirs[0]?.id)
  await releaseClaim(db, second, worker) // its slice is over, and it has not finished
  const third = await claim()
  expect(third.id).toBe(own[1])
  await finish(third)
  const fourth = await claim()
  expect(fourth.id).toBe(theirs[0]?.id)
  await finish(fourth)
  expect((await claim()).id).toBe(own[2])
})
