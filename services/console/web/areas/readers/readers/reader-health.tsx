import { SimpleGrid, Text, Title } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import type { ReactNode } from 'react'
import { Card } from '../../../parts/page/card.tsx'
import { type Column, DataTable } from '../../../parts/table/data-table.tsx'
import { When } from '../../../parts/time/when.tsx'
import { clockText, detailPairs, readProblemsOf, readsText, wordsOf } from '../../connect/health-text.ts'
import { lastHourText } from '../../../parts/readers/last-hour.ts'
import { LastProblem } from './problems/last-problem.tsx'
import { ReaderStatus } from './reader-status.tsx'

type Health = components['schemas']['ReaderHealth']

const count = new Intl.NumberFormat()

/** Health data for troubleshooting a reader. */
export function ReaderHealth({ health }: { health: Health }) {
  return (
    <Card title="Health">
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} component="dl" m={0}>
        <Fact label="Status">
          <ReaderStatus status={health.status} />
        </Fact>
        <Fact label="Last heard">
          {health.last_seen_at === null ? 'Never' : <When at={health.last_seen_at} />}
        </Fact>
        <Fact label="Reads per minute">{count.format(Math.round(health.reads_per_minute))}</Fact>
        <Fact label="Total reads">{readsText(health)}</Fact>
        <Fact label="With problems">{lastHourText(health)}</Fact>
        <Fact label="Clock">{clockText(health.clock_offset_ms)}</Fact>
        <Fact label="Device ID">
          {health.identity ?? '–'}
          {health.replaced && (
            <Text size="xs" c="dimmed">
              Replaced {health.replaced.from} <When at={health.replaced.at} />
            </Text>
          )}
        </Fact>
      </SimpleGrid>
      <LastProblem health={health} />
      {health.status === 'never_heard' ? (
        <Text size="sm" c="dimmed">
          No messages yet. Connect the device as described below, or send a test read.
        </Text>
      ) : (
        <ReadProblems health={health} />
      )}
      <Device health={health} />
    </Card>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="xs" c="dimmed">
        {label}
      </Text>
      <Text component="dd" m={0} size="sm" style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </div>
  )
}

function ReadProblems({ health }: { health: Health }) {
  return (
    <div>
      <Title order={3} size="h6" mb="xs">
        Problems
      </Title>
      <DataTable
        label="Problems by kind"
        columns={PROBLEMS}
        rows={readProblemsOf(health)}
        rowKey={({ field }) => field}
      />
    </div>
  )
}

function Device({ health }: { health: Health }) {
  if (health.device.length === 0) return null
  return (
    <div>
      <Title order={3} size="h6" mb="xs">
        What the device reports
      </Title>
      <DataTable
        label="Device reports"
        columns={REPORTS}
        rows={health.device}
        isFixed
        rowKey={({ kind, detail }) => `${kind} ${JSON.stringify(detail)}`}
      />
    </div>
  )
}

/** Names and values, as people read them. */
const Details = ({ detail }: { detail: Record<string, unknown> }) => (
  <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="xs" verticalSpacing={2} component="dl" m={0}>
    {detailPairs(detail).map(([label, text]) => (
      <Fact key={label} label={label}>
        {text}
      </Fact>
    ))}
  </SimpleGrid>
)

const PROBLEMS: readonly Column<ReturnType<typeof readProblemsOf>[number]>[] = [
  {
    label: 'Kind',
    role: 'title',
    width: 220,
    cell: ({ label }) => (
      <Text size="sm" fw={500}>
        {label}
      </Text>
    ),
  },
  { label: 'Count', align: 'right', width: 90, cell: (problem) => count.format(problem.count) },
  {
    label: 'What it means',
    cell: ({ hint }) => (
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
    ),
  },
]

const REPORTS: readonly Column<Health['device'][number]>[] = [
  { label: 'Report', role: 'title', width: 170, cell: ({ kind }) => wordsOf(kind) },
  { label: 'When', width: 150, cell: ({ at, received_at }) => <When at={at ?? received_at} /> },
  { label: 'Details', cell: ({ detail }) => <Details detail={detail} /> },
]
