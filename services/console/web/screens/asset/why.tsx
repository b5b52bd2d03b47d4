import { Anchor, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { When } from '../../parts/when.tsx'
import type { Sighting } from './sightings.ts'

/** Why is it here: the newest sighting, which decides, and the one that brought it here. */
export function Why({ latest, first }: { latest: Sighting; first: Sighting }) {
  return (
    <Stack gap={4} component="section" aria-labelledby="why-title">
      <Title order={2} size="h5" id="why-title">
        Why is it here
      </Title>
      <Decision sighting={latest} />
      {first !== latest && (
        <Text size="sm" c="dimmed" component="div">
          First seen here <When at={first.observed_at} />: <Source sighting={first} />
        </Text>
      )}
    </Stack>
  )
}

function Decision({ sighting }: { sighting: Sighting }) {
  return (
    <>
      <Text component="div">
        <Source sighting={sighting} />, <When at={sighting.observed_at} />.
      </Text>
      {sighting.reader !== null && <Means sighting={sighting} />}
    </>
  )
}

/** By what a read becomes a place: the location that its antenna looks at, or one that the message named. */
function Means({ sighting: { antenna, scan_point: scanPoint, location } }: { sighting: Sighting }) {
  const place = location?.name ?? 'no location'
  if (scanPoint !== null)
    return (
      <Text
        size="sm"
        c="dimmed"
      >{`Its scan point “${scanPoint.name}” stands for ${place} by its settings, unless the reader named the location itself.`}</Text>
    )
  if (antenna !== null)
    return (
      <Text
        size="sm"
        c="dimmed"
      >{`The antenna has no scan point now: either the reader named ${place} itself, or the scan point was removed since.`}</Text>
    )
  return <Text size="sm" c="dimmed">{`The reader named ${place} itself.`}</Text>
}

export function Source({ sighting: { reader, antenna, scan_point: scanPoint } }: { sighting: Sighting }) {
  if (reader === null) return 'Saved by an operator'
  const name = reader.name ?? reader.reader_key
  return (
    <>
      Read by{' '}
      {reader.id === null ? (
        name
      ) : (
        <Anchor component={Link} to={`/readers/${reader.id}`} underline="always" inherit>
          {name}
        </Anchor>
      )}
      {antenna !== null && `, antenna ${antenna}`}
      {scanPoint !== null && ` (${scanPoint.name})`}
    </>
  )
}
