import { Anchor, Group, List, Text, Textarea } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { type Alert, becauseText, byText, stateText } from '../../../parts/alerts/alert-text.ts'
import { AcknowledgeButton, SeverityBadge } from '../../../parts/alerts/open-alerts.tsx'
import { REFRESH_MS, useAcknowledge } from '../../../parts/alerts/use-alerts.ts'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { useRead } from '../../../parts/load/use-read.ts'
import { BackLink } from '../../../parts/page/back-link.tsx'
import { Card } from '../../../parts/page/card.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { When } from '../../../parts/time/when.tsx'
import { ForMembers } from '../../../session/for-members.tsx'
import { OpenFor } from '../open-for.tsx'
import { PlaceLink, SubjectLink } from '../subject.tsx'
import { AssetFilm } from './asset-film.tsx'

const NO_ALERT = { name: 'alert', list: 'All alerts', to: '/alerts' }

/** One alert: what happened to it, and where its asset was. */
export default function AlertScreen() {
  const { alertId }: { alertId?: string } = useParams({ strict: false })
  const id = Number(alertId)
  const alert = useRead(['alerts', 'one', id], '/api/v1/alerts/{alert_id}', {
    path: { alert_id: id },
    refetchInterval: REFRESH_MS,
  })
  return (
    <Screen
      title={alert.data ? `${alert.data.rule.name}: ${alert.data.subject.name}` : 'Alert'}
      lead={<BackLink list={NO_ALERT.list} to={NO_ALERT.to} />}
      actions={
        alert.data && (
          <>
            <ForMembers isExplained>{null}</ForMembers>
            <AcknowledgeButton alert={alert.data} />
          </>
        )
      }
    >
      <Loaded query={alert} what="the alert" missing={NO_ALERT}>
        {(data) => (
          <>
            <Facts alert={data} />
            <History alert={data} />
            <Film key={id} alert={data} />
          </>
        )}
      </Loaded>
    </Screen>
  )
}

function Facts({ alert }: { alert: Alert }) {
  const { rule, location, state } = alert
  return (
    <Group gap="md">
      <SeverityBadge severity={rule.severity} />
      <Text size="sm">{stateText(state)}</Text>
      <Text size="sm" component="div">
        Rule{' '}
        <Anchor component={Link} to={`/rules/${rule.id}`} inherit>
          {rule.name}
        </Anchor>
      </Text>
      <Text size="sm" component="div">
        About <SubjectLink subject={alert.subject} />
      </Text>
      {location && (
        <Text size="sm" component="div">
          Location <PlaceLink location={location} />
        </Text>
      )}
    </Group>
  )
}

function History({ alert }: { alert: Alert }) {
  const { acknowledged_at, resolved_at, resolved_because, note } = alert
  return (
    <Card title="History">
      <List size="sm" type="ordered" aria-label="History">
        <List.Item>
          Raised <When at={alert.raised_at} as="day" />
        </List.Item>
        {acknowledged_at !== null && (
          <List.Item>
            {`Acknowledged by ${byText(alert)} `}
            <When at={acknowledged_at} as="day" />
            {note !== null && (
              <Text
                size="sm"
                style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}
              >{`“${note}”`}</Text>
            )}
          </List.Item>
        )}
        <List.Item>
          {resolved_at === null ? (
            'Still open, for '
          ) : (
            <>
              Resolved <When at={resolved_at} as="day" />
              {`: ${becauseText(resolved_because)} It was open for `}
            </>
          )}
          <OpenFor alert={alert} />
        </List.Item>
      </List>
      {resolved_at === null && (
        <ForMembers>
          <NoteForm key={alert.id} alert={alert} />
        </ForMembers>
      )}
    </Card>
  )
}

/** Acknowledges with a note, or replaces the note. */
function NoteForm({ alert }: { alert: Alert }) {
  const [note, setNote] = useState(alert.note ?? '')
  const send = useAcknowledge(alert.id)
  return (
    <SendForm
      send={send}
      onSubmit={() => send.send(note.trim())}
      label={alert.state === 'raised' ? 'Acknowledge with this note' : 'Save note'}
      shownFields={['note']}
      isDisabled={note.trim() === '' || note.trim() === alert.note}
    >
      <Textarea
        label="Note"
        autosize
        maxLength={1_000}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        error={send.fields['note']}
      />
    </SendForm>
  )
}

function Film({ alert }: { alert: Alert }) {
  if (alert.subject.type === 'asset') return <AssetFilm alert={alert} />
  return (
    <Card title="Where it was">
      <Text size="sm">
        {alert.subject.type === 'reader'
          ? 'There is nothing to play: the alert is about a reader, and readers do not move.'
          : 'There is nothing to play: the alert is not about an asset.'}
      </Text>
    </Card>
  )
}
