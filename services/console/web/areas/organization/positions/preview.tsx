import { Button, Group, Stack, Text } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { Card } from '../../../parts/page/card.tsx'
import { countText } from '../../../parts/table/count-text.ts'
import { type Column, DataTable } from '../../../parts/table/data-table.tsx'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import { AssetLink } from '../../../parts/things/links.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { When } from '../../../parts/time/when.tsx'
import { api } from '../../../session/api.ts'
import { useSession } from '../../../session/use-session.ts'
import { problemsIn } from '../../../parts/form/checks.ts'
import { changesOf, checksOf, type Draft } from './draft.ts'
import type { Placement, PlacementChange } from '../../../parts/placement/use-placement.ts'

type Result = components['schemas']['PlacementPreview']
type Previewed = Result['most_changed'][number]

const HOURS = 24

/** What the values of the form would have done with the reads of the last day. Changes nothing. */
export function Preview({ placement, draft }: { placement: Placement; draft: Draft }) {
  const { org } = useSession()
  const send = useSend(async (settings: PlacementChange) => {
    const body = { settings, hours: HOURS }
    const data = await api.post('/api/v1/orgs/{org_id}/placement/preview', {
      path: { org_id: org.id },
      body,
    })
    return { data, settings }
  })
  const settings = changesOf(placement, draft)
  const isInvalid = Object.keys(problemsIn(checksOf(draft))).length > 0
  const isUnchanged = Object.keys(settings).length === 0
  const { result } = send
  const isOld = result !== undefined && JSON.stringify(result.settings) !== JSON.stringify(settings)
  return (
    <Card title="Preview">
      <Text size="sm" c="dimmed">
        Counts the movements of the last 24 hours again, with the values of the form. Changes nothing.
      </Text>
      <Group>
        <Button
          variant="default"
          onClick={() => send.send(settings)}
          loading={send.isSending}
          disabled={isUnchanged || isInvalid}
        >
          Preview
        </Button>
      </Group>
      <Text size="sm" role="status">
        {send.isSending
          ? 'Reading the messages of the last 24 hours. This can take 30 seconds.'
          : previewHint(isInvalid, isUnchanged, isOld)}
      </Text>
      {send.error !== undefined && <FailureNotice error={send.error} onRetry={() => send.send(settings)} />}
      {result && !send.isSending && !isOld && <Outcome result={result.data} />}
    </Card>
  )
}

function previewHint(isInvalid: boolean, isUnchanged: boolean, isOld: boolean): string {
  if (isInvalid) return 'A value of the form is not valid yet.'
  if (isUnchanged) return 'Change a value to compare it with now.'
  return isOld ? 'The values have changed since the last preview.' : ''
}

function Outcome({
  result: { from, movements_now: now, movements_then: then, most_changed: rows },
}: {
  result: Result
}) {
  if (from === null)
    return (
      <Text size="sm">No messages of readers came in the last 24 hours. There is nothing to compare.</Text>
    )
  return (
    <Stack gap="sm">
      <Text size="sm" component="div">
        {`${countText(now, 'movements')} as now, ${countText(then, 'movements')} with these values, since `}
        <When at={from} as="day" />.
      </Text>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          No asset would have moved more often or less often.
        </Text>
      ) : (
        <DataTable
          label="Assets that change most"
          columns={COLUMNS}
          rows={rows}
          rowKey={({ asset }) => asset.id}
        />
      )}
    </Stack>
  )
}

const COLUMNS: readonly Column<Previewed>[] = [
  { label: 'Asset', role: 'title', cell: ({ asset: { id, name } }) => <AssetLink id={id}>{name}</AssetLink> },
  { label: 'Now', align: 'right', cell: ({ now }) => now },
  { label: 'Then', align: 'right', cell: ({ then }) => then },
]
