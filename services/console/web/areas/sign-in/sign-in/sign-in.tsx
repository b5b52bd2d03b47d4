import { Navigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Waiting } from '../../../parts/load/loaded.tsx'
import { SignedOutPage } from '../../../parts/page/signed-out-page.tsx'
import { useSignOnState } from '../../../parts/sign-in/sign-on-state.ts'
import { useSessionState } from '../../../session/use-session.ts'
import { ChooseOrganization } from './choose-organization.tsx'
import { PasswordForm, PasswordLinks } from './password-form.tsx'
import { openReturned, returned } from './sign-on-return.ts'
import { SignOn } from './sign-on.tsx'

/** Accepts only a path of this console, to prevent open redirects. */
const pathIn = (to: unknown) => (typeof to === 'string' && /^\/(?![/\\])/.test(to) ? to : '/')

export function SignIn() {
  const { to }: { to?: unknown } = useSearch({ strict: false })
  const [isSubmitted, setSubmitted] = useState(returned.code !== null)
  if (useSessionState().status !== 'signed-in') return <WaysIn onSubmit={() => setSubmitted(true)} />
  // Who was signed in before has chosen an organization before.
  return isSubmitted ? <ChooseOrganization to={pathIn(to)} /> : <Navigate to={pathIn(to)} replace />
}

/** With a password, with the sign-on provider, or both. */
function WaysIn({ onSubmit }: { onSubmit: () => void }) {
  const { code, problem } = returned
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    if (code !== null) openReturned(code).catch(setError)
  }, [code])
  const signOn = useSignOnState()
  if (signOn.isPending || (code !== null && error === undefined))
    return (
      <SignedOutPage title="Sign in">
        <Waiting what="the ways to sign in" />
      </SignedOutPage>
    )
  const { enabled, required } = signOn.data ?? { enabled: false, required: false }
  return (
    <SignedOutPage
      title="Sign in"
      lead={
        required
          ? 'People sign in here with the sign-on provider of their company, and without a password.'
          : undefined
      }
    >
      {!required && <PasswordForm onSubmit={onSubmit} />}
      {enabled && <SignOn isRequired={required} problem={problem} error={error} />}
      {!required && <PasswordLinks />}
    </SignedOutPage>
  )
}
