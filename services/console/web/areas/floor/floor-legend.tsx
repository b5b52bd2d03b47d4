import { Group, Text } from '@mantine/core'
import { ASSET_TYPES, assetTypeOf } from '../../parts/things/asset-types.ts'
import { type Room, pathTo } from './rooms.ts'
import type { Floor } from './use-floor.ts'
import { hasFewer, NOT_SEEN_HOURS, type Noticed } from './use-noticed.ts'

const number = new Intl.NumberFormat()

type Props = { floor: Floor; focus: Room | undefined; noticed: Noticed }

/** What the dots of the picture mean, with how many there are in the place that it shows. */
export function FloorLegend({ floor, focus, noticed }: Props) {
  const shown = shownIn(floor, focus)
  const types = shown.map((id) => floor.assets.get(id)?.type ?? '')
  const counts = Map.groupBy(types, (type) => type)
  const order = [...ASSET_TYPES, ...counts.keys().filter((type) => !ASSET_TYPES.includes(type))]
  const isPart = floor.totals !== undefined && hasFewer(floor)
  return (
    <Group gap="md" mih={20}>
      {order.flatMap((type) => {
        const count = counts.get(type)?.length ?? 0
        const { plural, color } = assetTypeOf(type)
        const text = isPart ? plural : `${plural} ${number.format(count)}`
        return count === 0 ? [] : [<Entry key={type} color={color} text={text} />]
      })}
      <Rings noticed={noticed} shown={shown} />
      {isPart && (
        <Text size="xs" c="dimmed">
          {`Dots are the ${number.format(floor.assets.size)} assets that were seen last. Numbers count all ${number.format(floor.totalAssets)}.`}
        </Text>
      )}
      {floor.building.rooms.size < floor.totalLocations && (
        <Text size="xs" c="dimmed">
          {`The picture has ${number.format(floor.building.rooms.size)} of ${number.format(floor.totalLocations)} locations.`}
        </Text>
      )}
    </Group>
  )
}

/** The assets in the place that the picture shows. */
function shownIn({ places, building }: Floor, focus: Room | undefined): number[] {
  const isWithin = (location: number) => {
    const room = building.rooms.get(location)
    return room !== undefined && (!focus || pathTo(room).includes(focus))
  }
  return [...places].flatMap(([id, location]) => (isWithin(location) ? [id] : []))
}

/** One ring for both, so one line says what it can mean. */
function Rings({ noticed, shown }: { noticed: Noticed; shown: readonly number[] }) {
  const countIn = (ids: ReadonlySet<number>) => shown.filter((id) => ids.has(id)).length
  const [notSeen, longest] = [countIn(noticed.notSeen), countIn(noticed.longest)]
  const parts = [
    ...(notSeen > 0 ? [`Not seen for ${NOT_SEEN_HOURS} h ${number.format(notSeen)}`] : []),
    ...(longest > 0 ? [`Longest here ${number.format(longest)}`] : []),
  ]
  return parts.length > 0 && <Entry color="--mantine-color-body" hasRing text={parts.join(' or ')} />
}

type EntryProps = { color: string; text: string; hasRing?: boolean }

const Entry = ({ color, text, hasRing }: EntryProps) => (
  <Group gap={6} wrap="nowrap">
    <span className="floor-dot" data-ring={hasRing} style={{ background: `var(${color})` }} aria-hidden />
    <Text size="xs">{text}</Text>
  </Group>
)
