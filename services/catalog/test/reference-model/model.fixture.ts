import { test as base, type Catalog } from '../catalog.fixture.ts'
import { requestOf, type Reply, type Operation } from './operations.ts'
import type { Message } from './outbox.ts'
import { newWorld, type World } from './world.ts'

/** The service, as two instances that take turns. */
export type Real = {
  send(operation: Operation): Promise<Reply>
  /** The messages of an organization since the last call, in order. `org` is an index into the world. */
  takeOutbox(org: number): Promise<Message[]>
}

type Begin = (orgs?: number) => { world: World; real: Real }

let lastOrgId = 1_000_000_000

/** `begin`: a world with organizations of its own, on the database of this file. */
export const test = base.extend<{ begin: Begin }>({
  begin: async ({ catalog, replica }, use) => {
    let sent = 0
    const send = async (org: number, operation: Operation): Promise<Reply> => {
      const { method, path, body } = requestOf(operation)
      const res = await [catalog, replica][(sent += 1) % 2]!.call(method, path, body, { org })
      return { status: res.statusCode, body: res.body === '' ? {} : res.json() }
    }
    await use((orgs = 2) => {
      const orgIds = Array.from({ length: orgs }, () => (lastOrgId += 1))
      const orgIdOf = (org: number) => orgIds[org] ?? 0
      return {
        world: newWorld(...orgIds),
        real: {
          send: (operation) => send(orgIdOf(operation.org), operation),
          takeOutbox: (org) => takeOutbox(catalog, orgIdOf(org)),
        },
      }
    })
  },
})

async function takeOutbox({ database }: Catalog, orgId: number): Promise<Message[]> {
  const { rows } = await database.pool.query<Message & { id: number }>(
    `delete from outbox where (payload ->> 'org_id')::bigint = $1 and subject not like 'audit.%' returning id, subject, payload`,
    [orgId],
  )
  return rows.toSorted((a, b) => a.id - b.id)
}
