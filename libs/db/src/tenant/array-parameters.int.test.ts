import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServiceDatabase, type ServiceDatabase } from '@whereabouts/testing/database/database'
import { sql, type RawBuilder } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bigints, instants, int8Array, texts } from './array-parameters.ts'

let folder: string
let database: ServiceDatabase<unknown>
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'migrations-'))
  writeFileSync(join(folder, '0001_nothing.ts'), 'export async function up() {}')
  database = await createServiceDatabase('array_test', folder)
})
afterAll(async () => {
  await database.drop()
  rmSync(folder, { recursive: true })
})

/** The list as the server reads it, as text. */
async function readBack(list: RawBuilder<unknown>): Promise<string | null> {
  const { rows } = await sql<{ list: string | null }>`select ${list}::text as list`.execute(database.db)
  return rows[0]?.list ?? null
}

test('safe integers of every size and sign and null arrive unchanged', async () => {
  const values = [
    0, 1, -1, 255, -256, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, -(2 ** 32), -(2 ** 32) - 1,
    Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, null, -0,
  ] // oxfmt-ignore
  const expected = `{${values.map((value) => (value === null ? 'NULL' : String(value))).join(',')}}`
  expect(await readBack(bigints(values))).toBe(expected)
})

test('texts arrive byte for byte, also those that would need quotes in a textual list', async () => {
  const values = ['', 'plain', '"', '\\', '{a,b}', 'NULL', 'null', ' ', 'ünï', '😀 dock', 'a\nb', null]
  const { rows } = await sql<{ value: string | null }>`
    select value from unnest(${texts(values)}) with ordinality as u (value, n) order by n`.execute(
    database.db,
  )
  expect(rows.map(({ value }) => value)).toEqual(values)
})

test('instants before and after 1970 and 2000 arrive exact to the millisecond', async () => {
  const wire = [
    '1970-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z', '1999-12-31T23:59:59.999Z', '2000-01-01T00:00:00.000Z',
    '2026-11-21T10:00:00.123Z', '1715-01-01T00:00:00.001Z', '2284-12-31T23:59:59.999Z',
  ] // oxfmt-ignore
  const { rows } = await sql<{ at: string | null }>`
    select at from unnest(${instants([...wire.map((text) => Date.parse(text)), null])}) with ordinality as u (at, n)
    order by n`.execute(database.db)
  expect(rows.map(({ at }) => at)).toEqual([...wire, null])
})

test('an empty list arrives as an empty list', async () => {
  expect(await readBack(bigints([]))).toBe('{}')
  expect(await readBack(texts([]))).toBe('{}')
})

test('a value that is not a safe integer is refused before it is sent', () => {
  for (const value of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])
    expect(() => int8Array([value])).toThrow(RangeError)
  for (const year of [1700, 2300]) expect(() => instants([Date.UTC(year)])).toThrow(RangeError)
})
