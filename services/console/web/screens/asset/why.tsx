import { Anchor, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { When } from '../../parts/when.tsx'
import type { Sighting } from './sightings.ts'

/** Explains the current location: the newest sighting, and the first one at this location. */
export function Why({ latest, first }: { latest: Sighting; first: Sighting }) {
  return (
    <Stack gap={4} component="section" aria-labelledby="why-title">
      <Title order={2} size="h5" id="why-title">
        Why it is here
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
      {sighting.reader !== null && <Reason sighting={sighting} />}
    </>
  )
}

/** How the read got its location: from the scan point of the antenna, or from the message. */
function Reason({ sighting: { antenna, scan_point: scanPoint, location } }: { sighting: Sighting }) {
  const name = location?.name ?? 'no location'
  if (scanPoint !== null)
    return (
      <Text
        size="sm"
        c="dimmed"
      >{`Scan point “${scanPoint.name}” is assigned to ${name}, or the reader sent this location itself.`}</Text>
    )
  if (antenna !== null)
    return (
      <Text
        size="sm"
        c="dimmed"
      >{`The antenna has no scan point now. The reader sent ${name} itself, or the scan point was removed.`}</Text>
    )
  return <Text size="sm" c="dimmed">{`The reader sent ${name} itself.`}</Text>
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
