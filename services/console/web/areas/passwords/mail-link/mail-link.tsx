import { Anchor, Text } from '@mantine/core'
import { useState } from 'react'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { openApi, tokenInAddress } from '../../../parts/load/open-api.ts'
import { SignedOutPage } from '../../../parts/page/signed-out-page.tsx'

const USELESS = {
  title: 'This link does not work any more',
  detail:
    'It was used, is older than a day, or belongs to an earlier address. Ask for a new one in your account.',
}
const TAKEN = {
  title: 'Another account has this address',
  detail: 'Sign in with it. If you do not know its password, choose “Forgot password?”.',
}

type Props = {
  path: '/api/v1/auth/verify' | '/api/v1/auth/email/confirm'
  title: string
  done: string
}

/** The page of a link in a mail. A click uses it, because programs that check mails open every link. */
export function MailLink({ path, title, done }: Props) {
  const [token] = useState(tokenInAddress)
  const send = useSend(
    async () => {
      await openApi.post(path, { body: { token } })
      return true
    },
    {
      explain: ({ type }) => {
        if (type === 'unauthorized') return USELESS
        return type === 'conflict' ? TAKEN : undefined
      },
    },
  )
  if (token === '')
    return (
      <SignedOutPage title={title}>
        <EmptyState title="The link is incomplete">
          Open the full link of the mail, or ask for a new one.
        </EmptyState>
      </SignedOutPage>
    )
  return (
    <SignedOutPage title={title}>
      {send.result === true ? (
        <>
          <Text size="sm" role="status">
            {done}
          </Text>
          <Anchor href="/account" underline="always">
            Open your account
          </Anchor>
        </>
      ) : (
        <SendForm send={send} label="Confirm" shownFields={[]}>
          <Text size="sm">Confirm that you read the mail at this address.</Text>
        </SendForm>
      )}
    </SignedOutPage>
  )
}
