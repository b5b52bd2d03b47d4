import { Button, Stack, Text } from '@mantine/core'
import { Navigate, useNavigate } from '@tanstack/react-router'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import { Waiting } from '../../../parts/load/loaded.tsx'
import { roleName } from '../../../parts/things/roles.ts'
import { SignedOutPage } from '../../../parts/page/signed-out-page.tsx'
import { useMe } from '../../../parts/load/use-me.ts'
import { useSend } from '../../../parts/form/use-send.ts'
import { switchOrganization } from '../../../session/session.ts'
import { useSession } from '../../../session/use-session.ts'

/** After the sign-in: people with several organizations choose one; others go on. `to` is a path of the console. */
export function ChooseOrganization({ to }: { to: string }) {
  const { user, org } = useSession()
  const me = useMe()
  const navigate = useNavigate()
  const change = useSend((id: number) => switchOrganization(id))
  if (me.isPending) return <Waiting what="your organizations" />
  const orgs = me.data?.orgs ?? []
  if (orgs.length < 2) return <Navigate to={to} replace />
  const enter = (id: number) => (id === org.id ? void navigate({ to, replace: true }) : change.send(id))
  return (
    <SignedOutPage
      title="Choose an organization"
      lead={`You are signed in as ${user.name} (${user.email}). You can switch later in the menu at the top right.`}
    >
      <Stack gap="xs">
        {orgs.map(({ id, name, role }) => (
          <Button
            key={id}
            variant="default"
            h="auto"
            py="sm"
            justify="flex-start"
            styles={{ label: { whiteSpace: 'normal', textAlign: 'left', overflowWrap: 'anywhere' } }}
            disabled={change.isSending}
            onClick={() => enter(id)}
          >
            <Stack component="span" gap={0} align="flex-start">
              <Text span fw={600}>
                {name}
              </Text>
              <Text span size="sm" c="dimmed">
                {roleName(role)}
              </Text>
            </Stack>
          </Button>
        ))}
        {change.error !== undefined && <FailureNotice error={change.error} />}
      </Stack>
    </SignedOutPage>
  )
}
