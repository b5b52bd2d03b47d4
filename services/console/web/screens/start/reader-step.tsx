import { Anchor, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { components } from '@whereabouts/client/client'
import { useSession } from '../../session/use-session.ts'
import { ConnectReader } from '../readers/connect-reader.tsx'
import type { ScanPoint } from '../readers/use-scan-points.ts'
import { ReaderStepForm } from './reader-step-form.tsx'
import { TryIt } from './try-it.tsx'

type Props = {
  reader: components['schemas']['Reader'] | null
  /** The antenna of the reader that is assigned to a location. */
  placed: ScanPoint | undefined
  /** Its tag is in the trial message. */
  asset: components['schemas']['Asset'] | null
  newestLocation: components['schemas']['Location'] | undefined
  /** A scan has arrived: the trial message is hidden. */
  isTried: boolean
}

/** Creates a reader with one antenna, then shows its settings. */
export function ReaderStep({ reader, placed, asset, newestLocation, isTried }: Props) {
  const { isAdmin } = useSession()
  if (!reader || !placed) {
    if (isAdmin) return <ReaderStepForm reader={reader} newestLocation={newestLocation} />
    return <Text size="sm">Only administrators can configure readers. They are listed under Members.</Text>
  }
  const key = reader.reader_key
  return (
    <Stack gap="sm">
      <Text size="sm">
        {`Antenna ${placed.antenna} of `}
        <Anchor component={Link} inherit underline="always" to={`/readers/${reader.id}`}>
          {reader.name ?? key}
        </Anchor>
        {` is assigned to ${placed.location?.name ?? ''}. Enter these settings on the device:`}
      </Text>
      <ConnectReader readerKey={key} format={reader.format ?? 'canonical'}>
        {(urls, credentials) => (
          <TryIt
            readerKey={key}
            antenna={placed.antenna}
            tag={isTried ? undefined : asset?.tags[0]}
            urls={urls}
            credentials={credentials}
          />
        )}
      </ConnectReader>
    </Stack>
  )
}
