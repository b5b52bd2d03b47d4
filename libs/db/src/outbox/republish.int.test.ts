import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineMessage } from '@whereabouts/contracts/messages/message'
import { createServiceDatabase } from '@whereabouts/testing/database/database'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import type { OutboxTable } from './outbox.ts'
import { stateLog, states } from './republish.ts'

type Thing = { org_id: number; id: number; revision: number }

const thingState = defineMessage({
  name: 'thing state',
  schema: z.object({ org_id: z.int(), id: z.int(), revision: z.int() }),
  keep: 'last',
  subject: (thing) => `things.thing.${thing.org_id}.${thing.id}`,
})
const { republishAll, republishOne, forgetQueued } = stateLog('things', {
  thing: states({
    table: 'thing',
    key: ['org_id', 'id'],
    message: thingState,
    toState: ({ org_id, id, revision }: Thing) => ({ org_id, id, revision }),
  }),
})

const MIGRATION = `
import { createOutbox } from ${JSON.stringify(new URL('./outbox.ts', import.meta.url).href)}
import { sql } from ${JSON.stringify(import.meta.resolve('kysely'))}
export async function up(db) {
  await createOutbox(db)
  await sql\`create table thing (org_id bigint, id bigint, revision bigint default 7, primary key (org_id, id))\`.execute(db)
}`

let folder: string
let database: Awaited<ReturnType<typeof createServiceDatabase<{ outbox: OutboxTable; thing: Thing }>>>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'migrations-'))
  writeFileSync(join(folder, '0001_things.ts'), MIGRATION)
  database = await createServiceDatabase('republish_test', folder)
})
afterAll(async () => {
  await database.drop()
  rmSync(folder, { recursive: true })
})
beforeEach(async () => {
  await database.pool.query(`truncate outbox; truncate thing;
    insert into thing (org_id, id) select org, id from generate_series(1, 2) org, generate_series(1, 4) id`)
})

const queued = async () => {
  const rows = await database.db.selectFrom('outbox').select(['subject', 'payload']).orderBy('id').execute()
  return rows.map(({ subject }) => subject.replace('things.thing.', ''))
}

test.for([1, 2, 3, 8, 9])('in batches of %i each row is queued once, in order', async (batchSize) => {
  const seen: [string, number][] = []
  expect(
    await republishAll(database.db, { batchSize, onBatch: (kind, total) => seen.push([kind, total]) }),
  ).toEqual({ thing: 8 })
  expect(await queued()).toEqual(['1.1', '1.2', '1.3', '1.4', '2.1', '2.2', '2.3', '2.4'])
  expect(seen.at(-1)).toEqual(['thing', 8])
})

test('rows that are deleted meanwhile do not hide others', async () => {
  let batches = 0
  const room = async () => {
    batches += 1
    if (batches > 1) await database.pool.query(`delete from thing where (org_id, id) < (1, ${batches})`)
  }
  await republishAll(database.db, { batchSize: 2, room })
  expect(batches).toBeGreaterThan(3)
  expect(await queued()).toEqual(['1.1', '1.2', '1.3', '1.4', '2.1', '2.2', '2.3', '2.4'])
})

test('one row is named by its subject', async () => {
  expect(await republishOne(database.db, 'things.thing.2.3')).toBe(true)
  for (const subject of ['things.thing.2.9', 'things.thing.2', 'things.thing.2.03', 'things.toString.2.3'])
    expect(await republishOne(database.db, subject)).toBe(false)
  expect(await queued()).toEqual(['2.3'])
  await forgetQueued(database.db)
  expect(await queued()).toEqual([])
})
