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
  /** Of the reader: the antenna that looks at a location. */
  placed: ScanPoint | undefined
  /** What the message to try contains. */
  asset: components['schemas']['Asset'] | null
  newestLocation: components['schemas']['Location'] | undefined
  /** A scan has arrived: none has to be made by hand any more. */
  isTried: boolean
}

/** A reader with one antenna, then what to type into it. */
export function ReaderStep({ reader, placed, asset, newestLocation, isTried }: Props) {
  const { isAdmin } = useSession()
  if (!reader || !placed) {
    if (isAdmin) return <ReaderStepForm reader={reader} newestLocation={newestLocation} />
    return (
      <Text size="sm">Only administrators configure readers. Ask one of them, listed under Members.</Text>
    )
  }
  const key = reader.reader_key
  return (
    <Stack gap="sm">
      <Text size="sm">
        {`Antenna ${placed.antenna} of `}
        <Anchor component={Link} inherit underline="always" to={`/readers/${reader.id}`}>
          {reader.name ?? key}
        </Anchor>
        {` looks at ${placed.location?.name ?? ''}. Type these into the device:`}
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
