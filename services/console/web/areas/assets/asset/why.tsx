import { Alert, Anchor, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { When } from '../../../parts/time/when.tsx'
import { useSession } from '../../../session/use-session.ts'
import { usePlacement } from '../../../parts/placement/use-placement.ts'
import type { Sighting, Waiting } from './sightings.ts'
import { sourceText, waitingText, whyText, type Part } from './why-text.ts'

/** Tag values and keys may be long. */
const BREAKS = { overflowWrap: 'anywhere' } as const

/** Explains the current location: the newest sighting, and the first one at this location. */
export function Why({ latest, first }: { latest: Sighting; first: Sighting }) {
  return (
    <Stack gap={4} component="section" aria-labelledby="why-title">
      <Title order={2} size="h5" id="why-title">
        Why it is here
      </Title>
      <Text component="div" style={BREAKS}>
        <Parts parts={whyText(latest)} />
      </Text>
      {first !== latest && (
        <Text size="sm" c="dimmed" component="div" style={BREAKS}>
          First seen here <When at={first.observed_at} />: <Source sighting={first} />
        </Text>
      )}
    </Stack>
  )
}

/** Above the location: it was read elsewhere since, and why that is not shown yet. */
export function WaitingRead({ waiting }: { waiting: Waiting }) {
  const { isAdmin } = useSession()
  const { data } = usePlacement()
  return (
    <Alert variant="default" role="status">
      <Text size="sm" component="div" style={BREAKS}>
        <Parts parts={waitingText(waiting, data?.passages)} />
        {isAdmin && data !== undefined && data.passages !== 'carry' && (
          <>
            {' Readers that assets only pass need another setting: '}
            <Anchor component={Link} to="/positions" underline="always" inherit>
              Positions
            </Anchor>
            .
          </>
        )}
      </Text>
    </Alert>
  )
}

export const Source = ({ sighting }: { sighting: Sighting }) => <Parts parts={sourceText(sighting)} />

/** A text whose names are links. */
function Parts({ parts }: { parts: readonly Part[] }) {
  return parts.map((part) => {
    if (typeof part === 'string') return <Fragment key={part}>{part}</Fragment>
    if ('at' in part) return <When key={part.at + (part.as ?? '')} {...part} />
    return (
      <Anchor key={part.to} component={Link} to={part.to} underline="always" inherit>
        {part.name}
      </Anchor>
    )
  })
}
