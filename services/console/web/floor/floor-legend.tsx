import { Group, Text } from '@mantine/core'
import { assetTypeOf } from '../parts/asset-types.ts'
import type { Floor } from './use-floor.ts'
import { NOT_SEEN_HOURS, type Noticed } from './use-noticed.ts'

const number = new Intl.NumberFormat()

/** What the dots mean, with how many there are. */
export function FloorLegend({
  floor: { assets, places, isCut },
  noticed,
}: {
  floor: Floor
  noticed: Noticed
}) {
  const counts = new Map<string, number>()
  for (const id of places.keys()) {
    const type = assets.get(id)?.type ?? ''
    counts.set(type, (counts.get(type) ?? 0) + 1)
  }
  return (
    <Group gap="md">
      {[...counts].map(([type, count]) => {
        const { plural, color } = assetTypeOf(type)
        return <Entry key={type} color={color} text={`${plural} ${number.format(count)}`} />
      })}
      {noticed.all.size > 0 && <Entry color="--mantine-color-body" hasRing text={aboutRings(noticed)} />}
      {isCut && (
        <Text size="xs" c="dimmed">
          This picture shows a part: the organization has more assets or locations than it can draw.
        </Text>
      )}
    </Group>
  )
}

/** One ring for both, so one line says what it can mean. */
const aboutRings = ({ notSeen, longest }: Noticed) =>
  [
    ...(notSeen > 0 ? [`Not seen for ${NOT_SEEN_HOURS} h ${number.format(notSeen)}`] : []),
    ...(longest > 0 ? [`Longest here ${number.format(longest)}`] : []),
  ].join(' or ')

type EntryProps = { color: string; text: string; hasRing?: boolean }

const Entry = ({ color, text, hasRing }: EntryProps) => (
  <Group gap={6} wrap="nowrap">
    <span className="floor-dot" data-ring={hasRing} style={{ background: `var(${color})` }} aria-hidden />
    <Text size="xs">{text}</Text>
  </Group>
)
