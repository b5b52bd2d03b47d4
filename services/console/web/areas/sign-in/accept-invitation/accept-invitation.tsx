import { Anchor, Text } from '@mantine/core'
import { Link, Navigate } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { ApiError } from '@whereabouts/client/client'
import { useState } from 'react'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import { Waiting } from '../../../parts/load/loaded.tsx'
import { openApi, tokenInAddress } from '../../../parts/load/open-api.ts'
import { SignedOutPage } from '../../../parts/page/signed-out-page.tsx'
import { SignOnButton } from '../../../parts/sign-in/sign-on-button.tsx'
import { useSignOnState } from '../../../parts/sign-in/sign-on-state.ts'
import { useSessionState } from '../../../session/use-session.ts'
import { InvitationText } from './invitation-text.tsx'
import { JoinAsGuest } from './join-as-guest.tsx'
import { JoinSignedIn } from './join-signed-in.tsx'

/** Says what the invitation is. Signed in, one joins with one click. */
export function AcceptInvitation() {
  const [token] = useState(tokenInAddress)
  // As it was when the page opened: joining changes it, but must not change the form while it is sent.
  const [state] = useState(useSessionState())
  const [isJoined, setJoined] = useState(false)
  const signOn = useSignOnState()
  const invitation = useQuery({
    queryKey: ['invitation', token],
    enabled: token !== '',
    staleTime: Infinity, // each request is an attempt of this address
    queryFn: () => openApi.post('/api/v1/auth/describe-invitation', { body: { token } }),
  })
  if (isJoined) return <Navigate to="/" replace />
  if (token === '')
    return (
      <Useless title="The link is incomplete">
        Open the full link from your invitation, or ask for a new one.
      </Useless>
    )
  if (invitation.isError)
    return invitation.error instanceof ApiError && invitation.error.status === 404 ? (
      <Useless title="This invitation does not work any more">
        It was used, has expired or was withdrawn. If you have joined already, sign in. Otherwise ask for a
        new one.
      </Useless>
    ) : (
      <SignedOutPage title="Join an organization">
        <FailureNotice error={invitation.error} onRetry={() => void invitation.refetch()} />
      </SignedOutPage>
    )
  if (!invitation.data || signOn.isPending)
    return (
      <SignedOutPage title="Join an organization">
        <Waiting what="the invitation" />
      </SignedOutPage>
    )
  const session = state.status === 'signed-in' ? state.session : undefined
  return (
    <SignedOutPage
      title={`Join ${invitation.data.org.name}`}
      lead={<InvitationText invitation={invitation.data} />}
    >
      {session ? (
        <JoinSignedIn token={token} invitation={invitation.data} user={session.user} />
      ) : signOn.data?.required ? (
        <SignOnFirst />
      ) : (
        <JoinAsGuest token={token} invitation={invitation.data} onJoined={() => setJoined(true)} />
      )}
    </SignedOutPage>
  )
}

/** Where nobody has a password. */
const SignOnFirst = () => (
  <>
    <Text size="sm">Sign in first. Then open the link of the invitation again.</Text>
    <SignOnButton isMain />
  </>
)

const Useless = ({ title, children }: { title: string; children: string }) => (
  <SignedOutPage title="Join an organization">
    <EmptyState
      title={title}
      action={
        <Anchor component={Link} to="/sign-in" size="sm" underline="always">
          Sign in
        </Anchor>
      }
    >
      {children}
    </EmptyState>
  </SignedOutPage>
)
