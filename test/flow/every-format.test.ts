import { expect, vi } from 'vitest'
import { unwrap } from '@whereabouts/client/client'
import { fixtureBytes, fixturesWithReads, type Fixture } from '../system/fixtures.ts'
import {
  newAsset,
  newLocation,
  newOrganization,
  reportRows,
  type Organization,
  type Tag,
} from '../system/organization.ts'
import { connectReader, type Transport } from '../system/readers.ts'
import { test } from './flow.fixture.ts'

const ANTENNAS = [1, 2, 3, 4, 7, 23]

const nameOf = ({ tag_type, value }: Tag) => `${tag_type} ${value}`
const tagsOf = ({ reads }: Fixture): Tag[] => [
  ...new Map(
    reads.map(({ tag_type, tag_value: value }) => [`${tag_type} ${value}`, { tag_type, value }]),
  ).values(),
]

/** Groups in which each tag is in one fixture only, so that a row of the report shows which fixture was understood. */
function groupsOf(fixtures: readonly Fixture[]): Fixture[][] {
  const groups: { tags: Set<string>; fixtures: Fixture[] }[] = []
  for (const fixture of fixtures) {
    const names = tagsOf(fixture).map(nameOf)
    let group = groups.find(({ tags }) => !names.some((name) => tags.has(name)))
    if (!group) groups.push((group = { tags: new Set(), fixtures: [] }))
    for (const name of names) group.tags.add(name)
    group.fixtures.push(fixture)
  }
  return groups.map(({ fixtures: ofGroup }) => ofGroup)
}

/** A reader for each fixture, with its settings. All antennas are at one location. */
async function newReaderFor(
  org: Organization,
  { format, context }: Fixture,
  key: string,
  locationId: number,
) {
  const { timezone = null, mapping = null } = context
  const settings = { format, timezone, mapping } as { format: 'mapping' }
  const body = { reader_key: key, name: key, ...settings }
  const { id } = unwrap(await org.admin.POST('/api/v1/readers', { body })).data
  const params = { path: { reader_id: id ?? 0 } }
  for (const antenna of ANTENNAS) {
    const point = { antenna, name: `antenna ${antenna}`, location_id: locationId }
    unwrap(await org.admin.POST('/api/v1/readers/{reader_id}/scan-points', { params, body: point }))
  }
}

/** The levels after the reader. HTTPS has none after the format. */
const levelsOf = ({ format, context }: Fixture, transport: Transport | 'https') =>
  transport === 'https' ? format : [format, ...(context.topic ?? [])].join(transport === 'nats' ? '.' : '/')

const isReadable = ({ context }: Fixture, transport: Transport | 'https') =>
  transport !== 'https' || !JSON.stringify(context.mapping ?? '').includes('$topic')

test.for(['nats', 'mqtt', 'https'] as const)(
  'every format and preset, from the recorded message to the report, over %s',
  async (transport, { system }) => {
    const readable = fixturesWithReads().filter((fixture) => isReadable(fixture, transport))
    expect(readable.length).toBeGreaterThan(50)
    await Promise.all(
      groupsOf(readable).map(async (fixtures, group) => {
        const org = await newOrganization(system.stack, `Formats ${transport} ${group}`)
        const locationId = await newLocation(org, 'Receiving dock', 'DOCK-1')
        const expected = new Map<number, string>()
        for (const [i, fixture] of fixtures.entries()) {
          await newReaderFor(org, fixture, `reader-${i}`, locationId)
          for (const tag of tagsOf(fixture))
            expected.set((await newAsset(org, fixture.file, [tag])).id, `${fixture.file}: ${nameOf(tag)}`)
        }
        const reader = await connectReader(system.stack, org.readerKey, transport)
        for (const [i, fixture] of fixtures.entries())
          await reader.publish(
            org.id,
            `reader-${i}`,
            levelsOf(fixture, transport),
            fixtureBytes(fixture.file),
          )
        await reader.close()
        await vi.waitFor(
          async () => {
            const placed = (await reportRows(org)).filter((row) => row.location_id === locationId)
            const missing = new Map(expected)
            for (const { asset_id } of placed) missing.delete(asset_id)
            expect([...missing.values()]).toEqual([])
          },
          { timeout: 15_000, interval: 250 },
        )
      }),
    )
  },
)
