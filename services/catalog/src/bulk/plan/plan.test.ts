import type { ImportResource } from '@whereabouts/contracts/resources/catalog/imports'
import { NO_HOMES } from '../../assets/homes/home.rules.ts'
import { describe, expect, test } from 'vitest'
import { ownerName, plan, tagName, type Snapshot, type Resource } from './plan.ts'
import type { ImportedFields, RowInput } from './row-input.ts'

const NOW = '2026-11-21T10:00:00.123456Z'
const fields: ImportedFields = {
  name: 'Stored',
  description: null,
  type: 'asset',
  metadata: {},
  is_active: true,
  valid_from: '2026-01-01T00:00:00.123456Z',
  valid_to: null,
}

const resourceOf = (
  key: string,
  more: { fields?: Partial<ImportedFields>; rfid?: string[] } = {},
): Resource => ({
  id: key.length,
  key,
  fields: { ...fields, ...more.fields },
  tags: { rfid: more.rfid ?? [], ble: [], barcode: [] },
})

function snapshotOf(stored: Resource[] = [], more: Partial<Snapshot> = {}): Snapshot {
  const owners = stored.flatMap(({ key, tags }) =>
    tags.rfid.map((value) => [tagName('rfid', value), ownerName('asset', key)] as const),
  )
  return {
    now: NOW,
    highestNumber: 0n,
    resources: new Map(stored.map((one) => [one.key, one])),
    tagOwners: new Map(owners),
    parents: new Map(),
    homes: NO_HOMES,
    ...more,
  }
}

let line = 1
const row = (key: string | undefined, wanted: Partial<RowInput> = {}): RowInput => ({
  line: (line += 1),
  key,
  fields: {},
  tags: {},
  errors: [],
  isNamed: wanted.fields?.name !== undefined,
  ...wanted,
})

const outcomesOf = (snapshot: Snapshot, rows: RowInput[], resource: ImportResource = 'assets') =>
  plan(resource, snapshot, rows).map(({ key, outcome, changes, errors }) =>
    [key, outcome, ...changes, ...errors.map(({ field, code }) => `${field} ${code}`)].join(' '),
  )

describe('upsert by key', () => {
  test('a stored resource is updated or unchanged, another is created', () => {
    const snapshot = snapshotOf([resourceOf('A', { rfid: ['1', '2'] })])
    const rows = [
      row('A', { fields: { name: 'Stored' }, tags: { rfid: ['2', '1'] } }),
      row('A', { fields: { name: 'Other', is_active: false }, tags: { rfid: ['1'] } }),
      row('A', { fields: { name: 'Other' } }),
      row('B', { fields: { name: 'New' } }),
      row('B', { fields: { type: 'asset', metadata: {}, description: null } }),
    ]
    expect(outcomesOf(snapshot, rows)).toEqual([
      'A unchanged',
      'A updated name is_active rfid',
      'A unchanged',
      'B created',
      'B unchanged',
    ])
    expect(snapshot.resources.get('B')?.fields).toMatchObject({
      name: 'New',
      valid_from: NOW,
      valid_to: null,
    })
  })

  test('only a new resource needs a name', () => {
    const rows = [
      row('A', { fields: { type: 'person' } }),
      row('B', { fields: { type: 'person' } }),
      row(undefined),
    ]
    expect(outcomesOf(snapshotOf([resourceOf('A')]), rows)).toEqual([
      'A updated type',
      'B failed name required',
      ' failed name required',
    ])
  })

  test('metadata is compared as JSON', () => {
    const snapshot = snapshotOf([resourceOf('A', { fields: { metadata: { a: 0, b: [1, { c: null }] } } })])
    const same = { metadata: { b: [1, { c: null }], a: -0 } }
    expect(outcomesOf(snapshot, [row('A', { fields: same })])).toEqual(['A unchanged'])
    expect(outcomesOf(snapshot, [row('A', { fields: { metadata: {} } })])).toEqual(['A updated metadata'])
  })

  test('D4.8 a bound in milliseconds, like in an export, keeps the stored microseconds', () => {
    const snapshot = snapshotOf([resourceOf('A')])
    const exported = row('A', { fields: { valid_from: '2026-01-01T00:00:00.123000Z' } })
    expect(outcomesOf(snapshot, [exported])).toEqual(['A unchanged'])
    expect(snapshot.resources.get('A')?.fields.valid_from).toBe('2026-01-01T00:00:00.123456Z')
    const moved = row('A', { fields: { valid_from: '2026-01-01T00:00:00.124000Z' } })
    expect(outcomesOf(snapshot, [moved])).toEqual(['A updated valid_from'])
  })

  test('D4.7 the merged window is checked in microseconds', () => {
    const to = (valid_to: string) => row('A', { fields: { valid_to } })
    const snapshot = snapshotOf([resourceOf('A')])
    expect(outcomesOf(snapshot, [to('2026-01-01T00:00:00.123456Z')])).toEqual([
      'A failed valid_to invalid_value',
    ])
    expect(outcomesOf(snapshot, [to('2026-01-01T00:00:00.123457Z')])).toEqual(['A updated valid_to'])
    const late = row('N', { fields: { name: 'n', valid_to: NOW } })
    expect(outcomesOf(snapshot, [late])).toEqual(['N failed valid_to invalid_value'])
  })

  test('a failed row does not change the snapshot', () => {
    const snapshot = snapshotOf([resourceOf('A', { rfid: ['1'] })])
    const rows = [
      row('A', { fields: { name: 'Other', valid_to: '2020-01-01T00:00:00.000000Z' }, tags: { rfid: ['2'] } }),
      row('B', { fields: { name: 'n' }, tags: { rfid: ['2'] } }),
      row('A', { fields: { name: 'Stored' }, tags: { rfid: ['1'] } }),
    ]
    expect(outcomesOf(snapshot, rows)).toEqual([
      'A failed valid_to invalid_value',
      'B created',
      'A unchanged',
    ])
  })
})

describe('D4.4 minted keys', () => {
  test('continue after the highest, also of earlier rows', () => {
    const named = { fields: { name: 'n' } }
    const snapshot = snapshotOf([], { highestNumber: 7n })
    const rows = [
      row(undefined, named),
      row('ASSET-100', named),
      row(undefined, named),
      row('ASSET-5', named),
    ]
    expect(outcomesOf(snapshot, [...rows, row(undefined, named)])).toEqual([
      'ASSET-0008 created',
      'ASSET-100 created',
      'ASSET-0101 created',
      'ASSET-5 created',
      'ASSET-0102 created',
    ])
  })

  test('are not used by a failed row', () => {
    const bad = row(undefined, { fields: { name: 'n', valid_to: NOW } })
    const good = row(undefined, { fields: { name: 'n' } })
    expect(outcomesOf(snapshotOf(), [bad, good])).toEqual([
      ' failed valid_to invalid_value',
      'ASSET-0001 created',
    ])
  })

  test('make the row fail if none is left', () => {
    const snapshot = snapshotOf([], { highestNumber: BigInt('9'.repeat(249)) })
    const [failed] = plan('assets', snapshot, [row(undefined, { fields: { name: 'n' } })])
    expect(failed?.errors).toMatchObject([{ field: 'external_key', code: 'conflict' }])
  })
})

describe('D6.3 tags', () => {
  const taking = (key: string, ...rfid: string[]) => row(key, { fields: { name: 'n' }, tags: { rfid } })

  test('a tag of another resource is refused, unless an earlier row removes it', () => {
    const snapshot = snapshotOf([resourceOf('A', { rfid: ['1'] }), resourceOf('B')])
    expect(outcomesOf(snapshot, [taking('B', '1'), taking('A'), taking('B', '1'), taking('C', '1')])).toEqual(
      ['B failed rfid conflict', 'A updated name rfid', 'B updated name rfid', 'C failed rfid conflict'],
    )
    const [, , , refused] = plan('assets', snapshot, [
      taking('A'),
      taking('A'),
      taking('A'),
      taking('C', '1'),
    ])
    expect(refused?.errors).toEqual([
      { field: 'rfid', code: 'conflict', message: 'tag rfid:1 already exists' },
    ])
  })

  test('a tag of a location is refused for an asset', () => {
    const snapshot = snapshotOf([], {
      tagOwners: new Map([[tagName('rfid', '1'), ownerName('location', 'A')]]),
    })
    expect(outcomesOf(snapshot, [taking('A', '1')])).toEqual(['A failed rfid conflict'])
  })

  test('a resource can have at most 200, but tags that it already has are accepted', () => {
    const values = Array.from({ length: 201 }, (_, i) => String(i))
    const snapshot = snapshotOf([resourceOf('A', { rfid: values })])
    expect(outcomesOf(snapshot, [taking('B', ...values.map((value) => `b${value}`))])).toEqual([
      'B failed rfid conflict',
    ])
    expect(outcomesOf(snapshot, [row('A', { tags: { rfid: values } })])).toEqual(['A unchanged'])
    expect(outcomesOf(snapshot, [row('A', { tags: { rfid: [...values.slice(1), 'x'] } })])).toEqual([
      'A failed rfid conflict',
    ])
  })
})

describe('D5 parents', () => {
  const place = (key: string, parent: string | null): Resource => ({
    id: key.length,
    key,
    fields: { ...fields, parent_external_key: parent },
    tags: { rfid: [], ble: [], barcode: [] },
  })
  const under = (key: string, parent_external_key: string | null) =>
    row(key, { fields: { name: 'Stored', parent_external_key } })

  test('D5.3 a parent of an earlier row is found, one that does not exist is not', () => {
    const rows = [
      under('HALL', null),
      under('ROOM', 'HALL'),
      under('SHELF', 'NOWHERE'),
      under('BOX', 'SHELF'),
    ]
    expect(outcomesOf(snapshotOf(), rows, 'locations')).toEqual([
      'HALL created',
      'ROOM created',
      'SHELF failed parent_external_key fk_not_found',
      'BOX failed parent_external_key fk_not_found',
    ])
  })

  test('D5.4 no row makes a cycle of any length, also after moves of earlier rows', () => {
    const tree = [place('A', null), place('B', 'A'), place('C', 'B'), place('D', null)]
    const parents = new Map(
      tree.map(({ key, fields: { parent_external_key = null } }) => [key, parent_external_key]),
    )
    const rows = [
      under('A', 'A'),
      under('A', 'C'),
      under('C', 'D'),
      under('A', 'C'),
      under('D', 'B'),
      under('C', null),
    ]
    expect(outcomesOf(snapshotOf(tree, { parents }), rows, 'locations')).toEqual([
      'A failed parent_external_key conflict',
      'A failed parent_external_key conflict',
      'C updated parent_external_key',
      'A updated parent_external_key',
      'D failed parent_external_key conflict',
      'C updated parent_external_key',
    ])
  })
})
