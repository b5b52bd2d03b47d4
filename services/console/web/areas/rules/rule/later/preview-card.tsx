import { List, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Loaded } from '../../../../parts/load/loaded.tsx'
import { Card } from '../../../../parts/page/card.tsx'
import { countText } from '../../../../parts/table/count-text.ts'
import { type Column, DataTable } from '../../../../parts/table/data-table.tsx'
import { AssetLink, LocationLink } from '../../../../parts/things/links.tsx'
import { durationText } from '../../../../parts/time/times.ts'
import { When } from '../../../../parts/time/when.tsx'
import type { Statement } from '../../words/sentence.ts'
import { type Preview, type Span, SPANS, usePreview } from './use-preview.ts'

type PastAlert = NonNullable<Preview['past']>['alerts'][number]

/** How many of those that are like this now are named. */
const NAMED_NOW = 10

/** What the sentence would tell now, and would have told. `statement`: undefined while it is not complete. */
export default function PreviewCard({ statement }: { statement: Statement | undefined }) {
  const [days, setDays] = useState<Span>('7')
  const preview = usePreview(statement, days)
  return (
    <Card
      title="Preview"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Time of the preview"
          data={SPANS.map((value) => ({ value, label: `${value} days` }))}
          value={days}
          onChange={(next) => setDays(SPANS.find((span) => span === next) ?? '7')}
        />
      }
    >
      {statement === undefined ? (
        <Text size="sm" c="dimmed" role="status">
          Complete the sentence to see what it would tell.
        </Text>
      ) : (
        <Loaded query={preview} what="the preview">
          {(data) => <Outcome preview={data} days={days} />}
        </Loaded>
      )}
    </Card>
  )
}

const Outcome = ({ preview: { now, past }, days }: { preview: Preview; days: Span }) => (
  <Stack gap="sm">
    <Text size="sm" role="status">
      <b>{`Now: ${countText(now.count, 'are', 'is')} like this.`}</b>{' '}
      {past !== null && `In the past ${days} days it would have told you ${countText(past.count, 'times')}.`}
    </Text>
    {now.subjects.length > 0 && (
      <List size="sm" spacing={6} aria-label="Like this now">
        {now.subjects.slice(0, NAMED_NOW).map((subject) => (
          <List.Item key={subject.id}>
            <Subject subject={subject} />
          </List.Item>
        ))}
        {now.count > NAMED_NOW && (
          <List.Item>{`and ${countText(now.count - NAMED_NOW, 'others')}`}</List.Item>
        )}
      </List>
    )}
    {past === null && (
      <Text size="sm" c="dimmed">
        When readers were silent is not kept, so there is nothing to say about the past.
      </Text>
    )}
    {past !== null && past.alerts.length > 0 && (
      <DataTable
        label="Alerts it would have raised"
        columns={COLUMNS}
        rows={past.alerts}
        rowKey={({ subject, raised_at: at }) => `${subject.id} ${at}`}
        maxHeight={420}
      />
    )}
    {past !== null && past.count > past.alerts.length && (
      <Text size="sm" c="dimmed">{`These are the newest ${past.alerts.length}.`}</Text>
    )}
  </Stack>
)

/** One that was deleted since may have no name. */
function Subject({ subject: { type, id, name, external_key: key } }: Pick<PastAlert, 'subject'>) {
  const text = name || key || 'Deleted'
  return type === 'asset' ? <AssetLink id={id}>{text}</AssetLink> : text
}

const COLUMNS: readonly Column<PastAlert>[] = [
  { label: 'What', role: 'title', cell: ({ subject }) => <Subject subject={subject} /> },
  { label: 'Time', cell: ({ raised_at: at }) => <When at={at} as="day" /> },
  {
    label: 'Location',
    cell: ({ location }) => (location ? <LocationLink id={location.id}>{location.name}</LocationLink> : '–'),
  },
  {
    label: 'How long',
    cell: ({ raised_at: from, resolved_at: to }) =>
      to === null ? 'still' : durationText((Date.parse(to) - Date.parse(from)) / 1_000),
  },
]
