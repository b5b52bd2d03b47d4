import { Anchor, Grid, Stack, Text, Button } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import type { components } from '@whereabouts/client/client'
import { useRead } from '../../../parts/load/use-read.ts'
import { OpenAlerts } from '../../../parts/alerts/open-alerts.tsx'
import { ChangeHistory } from '../../../parts/audit/change-history.tsx'
import { Card } from '../../../parts/page/card.tsx'
import { Disclosure } from '../../../parts/table/disclosure.tsx'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { useVisit } from '../../../parts/page/visits.ts'
import { ForMembers } from '../../../session/for-members.tsx'
import { useSession } from '../../../session/use-session.ts'
import { ConnectReader } from '../../connect/connect-reader.tsx'
import { DeviceLink } from './device-link.tsx'
import { formatLabel } from '../../connect/formats.ts'
import { Misaddressed } from './problems/misaddressed.tsx'
import { ReaderHealth } from './reader-health.tsx'
import { ReaderHours } from './reader-hours.tsx'
import { ReaderMessages } from './problems/reader-messages.tsx'
import { ReaderRepairs } from './problems/reader-repairs.tsx'
import { ReaderSettings } from './reader-settings.tsx'
import { ScanPoints } from './scan-points/scan-points.tsx'
import { TestReadButton } from './test-read.tsx'
import { TryMessageButton } from './problems/try-message-button.tsx'
import { lazy, Suspense, useState } from 'react'

const REFRESH_MS = 10_000
const NO_READER = { name: 'reader', list: 'All readers', to: '/readers' }

export default function ReaderScreen() {
  const { readerId }: { readerId?: string } = useParams({ strict: false })
  const id = Number(readerId)
  const reader = useRead(['reader', id], '/api/v1/readers/{reader_id}', {
    path: { reader_id: id },
    refetchInterval: REFRESH_MS,
  })
  useVisit('reader', reader.data && { id, name: reader.data.name ?? reader.data.reader_key })
  return (
    <Screen
      title={reader.data?.name ?? 'Reader'}
      lead={
        <Anchor component={Link} to="/readers" size="sm" underline="always">
          All readers
        </Anchor>
      }
      actions={
        reader.data && (
          <>
            <TryMessageButton key={`message ${id}`} id={id} reader={reader.data} />
            <ForMembers isExplained>
              <TestReadButton
                key={id}
                readerId={id}
                readerName={reader.data.name ?? reader.data.reader_key}
              />
            </ForMembers>
          </>
        )
      }
    >
      <Loaded query={reader} what="the reader" missing={NO_READER}>
        {(data) => <ReaderPanels key={id} id={id} reader={data} />}
      </Loaded>
    </Screen>
  )
}

function ReaderPanels({ id, reader }: { id: number; reader: components['schemas']['Reader'] }) {
  const { isAdmin } = useSession()
  const format = reader.format ?? 'canonical'
  return (
    <Stack gap="md">
      <Misaddressed id={id} reader={reader} />
      <ReaderRepairs id={id} reader={reader} isAdmin={isAdmin} />
      <OpenAlerts kind="reader" id={id} />
      <ReaderHealth health={reader.health} />
      <LiveReadsCard id={id} readerKey={reader.reader_key} />
      <ReaderMessages id={id} reader={reader} />
      {reader.health.status !== 'never_heard' && <ReaderHours id={id} />}
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <Stack gap="md">
            <ScanPoints readerId={id} isAdmin={isAdmin} />
            {isAdmin ? (
              <ReaderSettings reader={reader} id={id} />
            ) : (
              <Text size="sm" c="dimmed">
                {`Kind of reader: ${formatLabel(format)}. Only administrators can change readers.`}
              </Text>
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <Card title="Connect the device">
            <Disclosure
              summary="Settings to enter on the device"
              isOpen={reader.health.status === 'never_heard'}
            >
              {isAdmin && <DeviceLink readerKey={reader.reader_key} format={format} />}
              <ConnectReader readerKey={reader.reader_key} format={format} />
            </Disclosure>
          </Card>
        </Grid.Col>
      </Grid>
      <ChangeHistory type="reader" id={id} />
    </Stack>
  )
}

const LiveReads = lazy(() => import('./later/live-reads.tsx'))

/** Loaded, and connected, only while somebody watches. */
function LiveReadsCard({ id, readerKey }: { id: number; readerKey: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Card
      title="Live reads"
      actions={
        <Button size="xs" variant="default" onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Stop watching' : 'Watch live'}
        </Button>
      }
    >
      {isOpen ? (
        <Suspense>
          <LiveReads id={id} readerKey={readerKey} />
        </Suspense>
      ) : (
        <Text size="sm" c="dimmed">
          Shows each tag as it is read, to set up antennas and assign new tags.
        </Text>
      )}
    </Card>
  )
}
