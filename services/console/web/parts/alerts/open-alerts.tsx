import { Anchor, Badge, Button, Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { ForMembers } from '../../session/for-members.tsx'
import { FailureNotice } from '../load/failure-notice.tsx'
import { Loaded } from '../load/loaded.tsx'
import { Card } from '../page/card.tsx'
import { countText } from '../table/count-text.ts'
import { When } from '../time/when.tsx'
import { type Alert, severityOf, stateText } from './alert-text.ts'
import { useAcknowledge, useOpenAlerts } from './use-alerts.ts'

export function SeverityBadge({ severity }: { severity: string }) {
  const [color, text] = severityOf(severity)
  return (
    <Badge color={color} variant="light" size="sm">
      {text}
    </Badge>
  )
}

/** One click. Viewers do not see it. */
export function AcknowledgeButton({ alert }: { alert: Alert }) {
  const { send, isSending, error } = useAcknowledge(alert.id)
  if (alert.state !== 'raised') return null
  return (
    <ForMembers>
      <Button
        size="compact-xs"
        variant="default"
        loading={isSending}
        onClick={() => send('')}
        aria-label={`Acknowledge ${alert.rule.name}: ${alert.subject.name}`}
      >
        Acknowledge
      </Button>
      {error !== undefined && <FailureNotice error={error} />}
    </ForMembers>
  )
}

/** Some alerts as short lines: severity, rule, what and where, since when. */
export const AlertLines = ({ alerts }: { alerts: readonly Alert[] }) => (
  <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
    {alerts.map((alert) => (
      <Group key={alert.id} component="li" gap="xs" justify="space-between">
        <div style={{ overflowWrap: 'anywhere', flex: '1 1 200px' }}>
          <Group gap={6}>
            <SeverityBadge severity={alert.rule.severity} />
            <Anchor component={Link} to={`/alerts/${alert.id}`} size="sm">
              {alert.rule.name}
            </Anchor>
          </Group>
          <Text size="xs" component="div">
            {alert.subject.name}
            {alert.location && `, ${alert.location.name}`}, <When at={alert.raised_at} />
            {alert.state !== 'raised' && `, ${stateText(alert.state).toLowerCase()}`}
          </Text>
        </div>
        <AcknowledgeButton alert={alert} />
      </Group>
    ))}
  </Stack>
)

type Of = { kind: 'asset' | 'location' | 'reader'; id: number }

/** What is open of an asset, a location or a reader. Nothing while nothing is. */
export function OpenAlerts({ kind, id }: Of) {
  const alerts = useOpenAlerts({ [`${kind}_id`]: [id] })
  if (!alerts.isError && !alerts.data?.total_count) return null
  return (
    <Card title="Open alerts">
      <Loaded query={alerts} what="the open alerts">
        {({ data, total_count: total }) => (
          <>
            <AlertLines alerts={data} />
            <Anchor component={Link} to="/alerts" search={() => ({ [kind]: String(id) }) as never} size="sm">
              {total > data.length ? `All ${countText(total, 'open alerts')}` : 'As a list'}
            </Anchor>
          </>
        )}
      </Loaded>
    </Card>
  )
}
