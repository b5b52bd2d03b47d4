import { Anchor, Badge, Stack, Switch, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { ConfirmButton } from '../../../parts/form/confirm-button.tsx'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import type { Column } from '../../../parts/table/data-table.tsx'
import { countText } from '../../../parts/table/count-text.ts'
import { wordsFor } from '../../../parts/things/known.ts'
import { api } from '../../../session/api.ts'
import { useRaising } from '../rule/existing-question.tsx'
import { type NameOf, type Rule, sentenceOf } from '../words/sentence.ts'
import { severityColor, severityName } from '../words/severities.ts'

/** Why a rule does not do all that it should, and what to do. */
const PROBLEMS = {
  scope_empty: 'All that it names was deleted, so it tells nothing. Open it and choose others, or delete it.',
  notify_failed: 'The last message did not reach everybody. Open it and send a test message to see why.',
  too_many:
    'It has too many open alerts and raises no more. Open it and choose fewer assets or a longer time.',
}

const RELOAD = [['rules'], ['alerts']]

export const columnsOf = (nameOf: NameOf, canWrite: boolean): readonly Column<Rule>[] => [
  {
    label: 'Rule',
    role: 'title',
    sort: 'name',
    cell: (rule) => (
      <Stack gap={2}>
        <Anchor component={Link} to={`/rules/${rule.id}`} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {rule.name}
        </Anchor>
        <Text size="sm" c="dimmed">
          {sentenceOf(rule, nameOf)}
        </Text>
        {rule.problem !== null && (
          <Text size="sm" c="red">
            {wordsFor(PROBLEMS, rule.problem) ?? rule.problem}
          </Text>
        )}
      </Stack>
    ),
  },
  {
    label: 'Severity',
    width: 110,
    cell: ({ severity }) => (
      <Badge color={severityColor(severity)} variant="light">
        {severityName(severity)}
      </Badge>
    ),
  },
  {
    label: 'Open alerts',
    width: 130,
    sort: 'open_alerts',
    cell: ({ id, name, open_alerts: open }) =>
      open === 0 ? (
        'None'
      ) : (
        <Anchor
          component={Link}
          to="/alerts"
          search={() => ({ rule_id: String(id) }) as never}
          size="sm"
          aria-label={`${countText(open, 'open alerts')} of ${name}`}
        >
          {countText(open, 'alerts')}
        </Anchor>
      ),
  },
  { label: 'On', width: 80, cell: (rule) => <OnOff rule={rule} canWrite={canWrite} /> },
  {
    label: 'Actions',
    role: 'actions',
    cell: (rule) => canWrite && <DeleteRule rule={rule} />,
  },
]

/** Switches a rule on or off. On, it counts as new. */
function OnOff({ rule: { id, name, enabled }, canWrite }: { rule: Rule; canWrite: boolean }) {
  const { send, question } = useRaising(
    (query) =>
      api.patch('/api/v1/rules/{rule_id}', { path: { rule_id: id }, body: { enabled: !enabled }, query }),
    { reload: RELOAD },
  )
  return (
    <>
      <Switch
        aria-label={`${name} is on`}
        checked={enabled}
        disabled={!canWrite || send.isSending}
        onChange={() => send.send(undefined)}
      />
      {send.error !== undefined && <FailureNotice error={send.error} />}
      {question}
    </>
  )
}

const DeleteRule = ({ rule: { id, name } }: { rule: Rule }) => (
  <ConfirmButton
    label="Delete"
    size="compact-sm"
    ariaLabel={`Delete ${name}`}
    reload={[['rules', 'list'], ['alerts']]}
    work={() => api.delete('/api/v1/rules/{rule_id}', { path: { rule_id: id } })}
  >
    It tells nothing any more, and its open alerts are resolved. Its alerts are kept. This cannot be undone.
  </ConfirmButton>
)
