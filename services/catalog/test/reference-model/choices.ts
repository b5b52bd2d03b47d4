import fc from 'fast-check'
import { branches } from './operations.ts'
import { EPC_TAG } from './world.ts'

/**
 * Random choices of requests, without ids: those are known only after the replies to earlier requests. Pools of values
 * are small, so that choices collide.
 */

/** A resource that exists at that time, or a reference that resolves to none. */
const ref = fc.record({
  whose: fc.oneof(
    { weight: 12, arbitrary: fc.constant('live' as const) },
    { weight: 2, arbitrary: fc.constant('any' as const) },
    { weight: 1, arbitrary: fc.constantFrom('foreign' as const, 'missing' as const) },
  ),
  pick: fc.nat(99),
})
export type Ref = typeof ref extends fc.Arbitrary<infer T> ? T : never

/** A value in so many of ten cases, otherwise undefined. */
const inTenths = <T>(tenths: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 10 - tenths, arbitrary: fc.constant(undefined) }, { weight: tenths, arbitrary })

const kind = fc.constantFrom('asset' as const, 'location' as const)

const name = fc.constantFrom(
  'a',
  'B',
  'Ärger',
  '100% wool',
  'a_b',
  'zebra',
  'Zebra 7',
  '😀 last',
  '\uffff before',
)
const key = fc.constantFrom(
  'K-1',
  'K-2',
  'k-1',
  'ASSET-3',
  'ASSET-0009',
  'ASSET-9999',
  'LOC-4',
  'LOC-999',
  'LOC-x1',
)
const tag = fc.record({
  tag_type: fc.constantFrom('rfid', 'ble', 'barcode'),
  value: fc.constantFrom('E280', 'e280', 'x y', '%', 'line\nbreak', EPC_TAG.value),
})

/** Most windows hold now, so that lists have rows. No two bounds are within one millisecond. */
const window = {
  valid_from: fc.constantFrom('2001-01-01T00:00:00Z', '2002-02-02T02:02:02.1239999+05:30', '2003-01-01T00:00:00.5Z', '2997-01-01T00:00:00Z'), // oxfmt-ignore
  valid_to: fc.constantFrom(null, null, '2998-01-01T00:00:00.5Z', '2999-01-01T00:00:00.9999999-01:00', '2001-06-01T00:00:00Z'), // oxfmt-ignore
}

const assetFields = {
  type: fc.constantFrom('asset', 'person', 'inventory'),
  metadata: fc.constantFrom({}, { b: 1, a: [null, { deep: 'x' }] }, { empty: '' }),
}
const sharedFields = {
  description: fc.constantFrom(null, 'first line\nsecond\tLINE', '😀'),
  is_active: fc.boolean(),
  ...window,
}

/** Invalid fields. */
const wrong = fc.constantFrom<Record<string, unknown>>(
  { name: '' }, { name: null }, { name: 'a\tb' }, { name: ' a' }, { description: '' }, { is_active: 'yes' },
  { valid_from: null }, { colour: 1 }, { location_id: 5 }, { metadata: null }, { type: 'robot' },
) // oxfmt-ignore

const parent = fc.record({
  as: fc.constantFrom('id', 'id', 'key', 'both', 'differ', 'null', 'nullKey', 'nulls', 'half'),
  ref,
  other: ref,
})

const optional = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(fields, { requiredKeys: [] })

const create = fc.record({
  do: fc.constant('create' as const),
  kind,
  name,
  key: inTenths(4, key),
  tags: inTenths(4, fc.array(tag, { maxLength: 3 })),
  parent: inTenths(6, parent),
  shared: fc.oneof(fc.constant({}), optional(sharedFields)),
  asset: optional(assetFields),
  wrong: inTenths(1, wrong),
})

const readOnlyEcho = ['id', 'created_at', 'updated_at', 'deleted_at', 'external_key', 'tags'] as const

const patch = fc.record({
  do: fc.constant('patch' as const),
  kind,
  ref,
  name: inTenths(5, name),
  parent: inTenths(6, parent),
  shared: optional(sharedFields),
  asset: optional(assetFields),
  /** Fields sent back unchanged, as by a client that sends a resource it has read. */
  echo: fc.oneof(fc.constantFrom<string[]>([], ['*']), fc.subarray<string>([...readOnlyEcho])),
  /** Fields sent back with another value. */
  alter: fc.oneof(
    { weight: 4, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: fc.subarray<string>([...readOnlyEcho], { minLength: 1, maxLength: 2 }) },
  ),
  wrong: inTenths(1, wrong),
})

const rename = fc.record({ do: fc.constant('rename' as const), kind, ref, key: inTenths(8, key) })
const attach = fc.record({ do: fc.constant('attach' as const), kind, ref, tag })
const detach = fc.record({
  do: fc.constant('detach' as const),
  kind,
  /** The resource in the path. Default: the owner of the tag. */
  ref: inTenths(2, ref),
  tag: fc.nat(99),
  state: fc.constantFrom('live', 'live', 'live', 'any'),
})
const remove = fc.record({ do: fc.constant('delete' as const), kind, ref })
const get = fc.record({ do: fc.constant('get' as const), kind, ref })

const field = fc.constantFrom('external_key', 'name', 'created_at', 'updated_at')
const sort = fc
  .array(fc.tuple(fc.constantFrom('', '-'), field), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.map((part) => part.join('')).join(','))
const page = { limit: fc.constantFrom(1, 2, 3, 200), offset: fc.constantFrom(0, 1, 3, 50) }

const filters = {
  external_key: fc.array(key, { minLength: 1, maxLength: 3 }),
  is_active: fc.boolean(),
  q: fc.constantFrom('', 'A', 'zebra', '%', '_', 'E28', 'LINE', 'k-', '\\', 'ÄR', 'X y', 'break'),
}

const list = fc.record({
  do: fc.constant('list' as const),
  kind,
  query: optional({ ...page, sort, include_deleted: fc.boolean() }),
  /** Usually one at most, because several together seldom leave a row. */
  filters: fc.oneof(
    fc.constant({}),
    fc.record({ q: filters.q }),
    fc.record({ external_key: filters.external_key }),
    optional(filters),
  ),
  type: inTenths(2, fc.array(assetFields.type, { minLength: 1 })),
  parents: inTenths(
    3,
    fc.record({ by: fc.constantFrom('id', 'key'), refs: fc.array(ref, { minLength: 1, maxLength: 2 }) }),
  ),
})

const tree = fc.record({
  do: fc.constant('tree' as const),
  ref,
  branch: fc.constantFrom(...branches),
  query: optional(page),
})

type Chosen<A> = A extends fc.Arbitrary<infer T> ? T : never
export type ParentChoice = Chosen<typeof parent>
export type CreateChoice = Chosen<typeof create>
export type PatchChoice = Chosen<typeof patch>
export type DetachChoice = Chosen<typeof detach>
export type ListChoice = Chosen<typeof list>
type Write = Chosen<
  typeof create | typeof patch | typeof rename | typeof attach | typeof detach | typeof remove
>
type Read = Chosen<typeof get | typeof list | typeof tree>
export type Choice = { org: number } & (Write | Read)

const byOrg = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.tuple(fc.constantFrom(0, 0, 1), arbitrary).map(([org, chosen]) => Object.assign({ org }, chosen))

/** The first requests in each world. */
export const creations: fc.Arbitrary<Choice[]> = fc.array(byOrg(create), { minLength: 4, maxLength: 10 })

/** Requests that change something. Creates and patches are more frequent than deletes. */
export const write: fc.Arbitrary<Choice> = fc.oneof(
  { weight: 5, arbitrary: byOrg(create) },
  { weight: 4, arbitrary: byOrg(patch) },
  { weight: 2, arbitrary: byOrg(rename) },
  { weight: 2, arbitrary: byOrg(attach) },
  { weight: 2, arbitrary: byOrg(detach) },
  { weight: 2, arbitrary: byOrg(remove) },
)

export const read: fc.Arbitrary<Choice> = fc.oneof(byOrg(get), byOrg(list), byOrg(tree))
