import { Alert, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import { openApi } from '../../../parts/load/open-api.ts'
import { useSend } from '../../../parts/form/use-send.ts'
import { signOn } from '../../../session/session.ts'

/** Only these texts are shown: anybody can make a link to this page. */
const PROBLEMS: Readonly<Record<string, string>> = {
  expired: 'It took too long, or started in another window. Try again.',
  refused: 'The sign-on provider did not let you in.',
  unavailable: 'The sign-on provider does not answer. Try again in a minute.',
  failed: 'The answer of the sign-on provider is not valid. Ask the operator of this server.',
  no_access: 'You are in no group that may sign in here. Ask an administrator to add you to one.',
  no_address: 'The sign-on provider did not send your email address. Ask the operator of this server.',
  address_taken:
    'An account has your email address, but nobody has confirmed it. Sign in with the password, confirm the address under Account, and then use single sign-on.',
  address_unverified:
    'An account has your email address, but the sign-on provider has not verified it. Ask the operator of the provider.',
}

/** The fields with which a sign-on comes back, taken out of the address so that a reload does not use them again. */
function takeFragment(): { code: string | null; problem: string | null } {
  const fields = new URLSearchParams(location.hash.slice(1))
  const [code, problem] = [fields.get('sign_on'), fields.get('sign_on_problem')]
  if (code !== null || problem !== null) history.replaceState(history.state, '', location.pathname)
  return { code, problem }
}

/** Single sign-on, where the server has it. */
export function SignOn({ onSubmit }: { onSubmit: () => void }) {
  const [{ code, problem }] = useState(takeFragment)
  const isSent = useRef(false)
  const state = useQuery({
    queryKey: ['sign-on'],
    staleTime: Infinity,
    queryFn: () => openApi.get('/api/v1/auth/oidc'),
  })
  const send = useSend((sent: string) => signOn(sent))
  useEffect(() => {
    if (code === null || isSent.current) return
    isSent.current = true // the code works once
    onSubmit()
    send.send(code)
  }, [code, onSubmit, send])
  if (!state.data?.enabled) return null
  return (
    <>
      {problem !== null && (
        <Alert color="red" role="alert" variant="light" title="Single sign-on did not work" my="sm">
          {PROBLEMS[problem] ?? PROBLEMS['failed']}
        </Alert>
      )}
      {send.error !== undefined && send.error !== null && <FailureNotice error={send.error} />}
      <Button
        component="a"
        href="/api/v1/auth/oidc/start"
        variant="default"
        fullWidth
        my="sm"
        loading={send.isSending}
      >
        Sign in with single sign-on
      </Button>
    </>
  )
}
