import { Anchor, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { components } from '@whereabouts/client/client'
import { Disclosure } from '../../parts/table/disclosure.tsx'
import { useSession } from '../../session/use-session.ts'
import { ConnectReader } from '../connect/connect-reader.tsx'
import { ReaderStepForm } from './reader-step-form.tsx'
import { StandQuestion } from './stand-question.tsx'
import { TryIt } from './try-it.tsx'
import type { PlacedReader, TaggedAsset } from './use-progress.ts'

type Props = {
  newest: PlacedReader | null
  /** Its tag is in the trial message. */
  asset: TaggedAsset | null
  newestLocation: components['schemas']['Location'] | undefined
}

/** Creates a reader with one antenna. Settings for a device are shown on demand. */
export function ReaderStep({ newest, asset, newestLocation }: Props) {
  const { isAdmin } = useSession()
  if (!newest?.placed) {
    if (isAdmin) return <ReaderStepForm newest={newest} newestLocation={newestLocation} />
    return <Text size="sm">Only administrators can set up readers. They are listed under Members.</Text>
  }
  const { reader, placed } = newest
  const key = reader.reader_key
  return (
    <Stack gap="sm">
      <Text size="sm">
        {`Antenna ${placed.antenna} of `}
        <Anchor component={Link} inherit underline="always" to={`/readers/${reader.id}`}>
          {reader.name ?? key}
        </Anchor>
        {` is at ${placed.location?.name ?? 'no location'}.`}
      </Text>
      {isAdmin && <StandQuestion />}
      <Disclosure summary="Connect a real reader">
        <ConnectReader readerKey={key} format={reader.format ?? 'canonical'}>
          {(urls, credentials) => (
            <TryIt
              readerKey={key}
              antenna={placed.antenna}
              tag={asset?.tags[0]}
              urls={urls}
              credentials={credentials}
            />
          )}
        </ConnectReader>
      </Disclosure>
    </Stack>
  )
}
