import { Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { type Settings, useSettings } from '../../parts/load/use-settings.ts'
import { useSession } from '../../session/use-session.ts'
import { DeviceSettings } from './device-settings.tsx'
import { type Credentials, ReaderCredentials } from './reader-credentials.tsx'

type Props = {
  readerKey: string
  format: string
  /** Further content that needs the addresses and, while visible, the credentials. */
  children?: (urls: Settings, credentials: Credentials | undefined) => ReactNode
}

/** Settings for the device. */
export function ConnectReader({ readerKey, format, children }: Props) {
  const { org } = useSession()
  const [credentials, setCredentials] = useState<Credentials>()
  const urls = useSettings()
  return (
    <Stack gap="sm">
      <DeviceSettings
        topic={{ orgId: org.id, readerKey, format }}
        headingOrder={3}
        credentials={
          <ReaderCredentials readerKey={readerKey} credentials={credentials} onChange={setCredentials} />
        }
      />
      {urls.data && children?.(urls.data, credentials)}
    </Stack>
  )
}
