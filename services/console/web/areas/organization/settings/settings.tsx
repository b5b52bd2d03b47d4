import { Stack, Text } from '@mantine/core'
import { Card } from '../../../parts/page/card.tsx'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { useRead } from '../../../parts/load/use-read.ts'
import { useSession } from '../../../session/use-session.ts'
import { DeleteOrganization } from './delete-organization.tsx'
import { ExportOrganization } from './export-organization.tsx'
import { NameForm } from './name-form.tsx'

/** Name, time zone, export and end of the organization. */
export default function Settings() {
  const { org, isAdmin } = useSession()
  const path = { org_id: org.id }
  const organization = useRead(['organization', org.id], '/api/v1/orgs/{org_id}', { path })
  return (
    <Screen title="Settings" lead="Your organization, for everybody in it.">
      <Card title="Organization">
        <Loaded query={organization} what="the settings">
          {({ name, timezone }) =>
            isAdmin ? (
              <NameForm key={`${name} ${timezone}`} current={{ name, timezone }} />
            ) : (
              <Stack gap={4}>
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  <b>{name}</b>, in the time zone {timezone}.
                </Text>
                <Text size="sm" c="dimmed">
                  Only administrators can change this.
                </Text>
              </Stack>
            )
          }
        </Loaded>
      </Card>
      {isAdmin && <ExportOrganization />}
      {isAdmin && <DeleteOrganization />}
    </Screen>
  )
}
