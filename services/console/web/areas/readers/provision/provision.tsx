import { Paper, Text } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { useState } from 'react'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { openApi, tokenInAddress } from '../../../parts/load/open-api.ts'
import { SecretOnce } from '../../../parts/form/secret-once.tsx'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { SignedOutPage } from '../../../parts/page/signed-out-page.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { DeviceSettings } from '../../connect/device-settings.tsx'

const TITLE = 'Settings for a device'

const USELESS = {
  title: 'This link does not work any more',
  detail: 'It was used, has expired or was withdrawn. Ask an administrator for a new link.',
}
const NO_ROOM = {
  title: 'The organization has no room for another device',
  detail: 'Ask an administrator to revoke an API key. This link still works after that.',
}

/** For the person at the device, without an account. A preview of the link in a chat presses no button, so does not use it up. */
export default function Provision() {
  const [token] = useState(tokenInAddress)
  const send = useSend(() => openApi.post('/api/v1/auth/provision', { body: { token } }), {
    explain: ({ type }) => (type === 'not_found' ? USELESS : type === 'conflict' ? NO_ROOM : undefined),
  })
  if (token === '')
    return (
      <SignedOutPage title={TITLE}>
        <EmptyState title="The link is incomplete">Open the full link, or ask for a new one.</EmptyState>
      </SignedOutPage>
    )
  if (send.result) return <Opened settings={send.result} />
  return (
    <SignedOutPage title={TITLE} lead="What to enter on a reader, so that it can send what it reads.">
      <SendForm send={send} label="Show the settings">
        <Text size="sm">
          The link works once. Open the settings when you are at the device, because the password cannot be
          shown again.
        </Text>
      </SendForm>
    </SignedOutPage>
  )
}

function Opened({ settings }: { settings: components['schemas']['ReaderSettings'] }) {
  const [isEntered, setEntered] = useState(false)
  const { org_id: orgId, reader_key: readerKey, format, client_id, client_secret } = settings
  return (
    <SignedOutPage title={TITLE} lead={`For the reader ${readerKey} alone`}>
      <DeviceSettings
        topic={{ orgId, readerKey, format }}
        headingOrder={2}
        credentials={
          isEntered ? (
            <Text size="sm" role="status">
              User name and password are not shown any more.
            </Text>
          ) : (
            <Paper withBorder p="md">
              <SecretOnce
                secrets={[
                  { label: 'User name', value: client_id },
                  { label: 'Password', value: client_secret },
                ]}
                onStored={() => setEntered(true)}
                storedLabel="The device has it"
                advice="Enter it on the device now."
              />
            </Paper>
          )
        }
      />
    </SignedOutPage>
  )
}
