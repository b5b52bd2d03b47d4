import { Text } from '@mantine/core'
import { Card } from '../../../parts/page/card.tsx'
import { roleMeaning, roleName } from '../../../parts/things/roles.ts'
import { useSession } from '../../../session/use-session.ts'

/** What the person may do in the organization of the session. */
export function RoleCard() {
  const { user, org } = useSession()
  return (
    <Card title="Role">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        Your role in <b>{org.name}</b> is <b>{roleName(user.role)}</b>. {roleMeaning(user.role)}
      </Text>
    </Card>
  )
}
