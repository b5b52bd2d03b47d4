import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useSend } from '../../../../parts/form/use-send.ts'
import { FailureNotice } from '../../../../parts/load/failure-notice.tsx'
import { Loaded } from '../../../../parts/load/loaded.tsx'
import { useMe } from '../../../../parts/load/use-me.ts'
import { Card } from '../../../../parts/page/card.tsx'
import { api } from '../../../../session/api.ts'
import { SetUpCodes } from './set-up-codes.tsx'
import { SwitchOffCodes } from './switch-off-codes.tsx'

/** Whether the person's sign-in needs a code of an authenticator app, and how they change that. */
export function OneTimeCodesCard() {
  const me = useMe()
  const [isSwitchingOff, setSwitchingOff] = useState(false)
  // The dialog opens with the secret: one that a dialog asked for by itself could come twice, and only the last works.
  const begin = useSend(() => api.post('/api/v1/users/me/totp'))
  return (
    <Card title="One-time codes">
      <Loaded query={me} what="whether one-time codes are on">
        {({ second_factor: isOn }) => (
          <>
            <Text size="sm" role="status">
              {isOn ? ON : OFF}
            </Text>
            {begin.error !== undefined && <FailureNotice error={begin.error} />}
            <Group justify="flex-end">
              {isOn ? (
                <Button variant="default" onClick={() => setSwitchingOff(true)}>
                  Switch off…
                </Button>
              ) : (
                <Button variant="default" loading={begin.isSending} onClick={() => begin.send(undefined)}>
                  Set up…
                </Button>
              )}
            </Group>
          </>
        )}
      </Loaded>
      {begin.result && <SetUpCodes totp={begin.result} onClose={begin.reset} />}
      {isSwitchingOff && <SwitchOffCodes onClose={() => setSwitchingOff(false)} />}
    </Card>
  )
}

const ON = 'One-time codes are on. You sign in with your password and a code of your authenticator app.'
const OFF =
  'One-time codes are off. With them, you sign in with your password and a code of an app on your phone. A stolen password is then not enough.'
