import { Alert, Code, SimpleGrid, Table, Text, Title } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import type { ReactNode } from 'react'
import { Card } from '../../parts/card.tsx'
import { When } from '../../parts/when.tsx'
import { ScrollRegion } from '../../parts/scroll-region.tsx'
import { clockText, readProblemsOf } from './health-text.ts'
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
        <Fact label="Last seen">
          {health.last_seen_at === null ? 'Never' : <When at={health.last_seen_at} />}
        </Fact>
        <Fact label="Reads per minute">{count.format(Math.round(health.reads_per_minute))}</Fact>
        <Fact label="Total reads">
          {`${count.format(health.reads)} in ${count.format(health.messages)} messages`}
        </Fact>
        <Fact label="Clock">{clockText(health.clock_offset_ms)}</Fact>
        <Fact label="Device ID">{health.identity ?? '–'}</Fact>
      </SimpleGrid>
      {health.last_problem !== null && (
        <Alert color="yellow" variant="light" title="Last problem">
          <Code>{health.last_problem}</Code>{' '}
          {health.last_problem_at !== null && <When at={health.last_problem_at} />}
        </Alert>
      )}
      {health.status === 'never_heard' ? (
        <Text size="sm" c="dimmed">
          No messages yet. See below how to connect the device.
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
        Problems by kind
      </Title>
      <ScrollRegion label="Problems by kind">
        <Table verticalSpacing={4}>
          <Table.Tbody>
            {readProblemsOf(health).map((problem) => (
              <Table.Tr key={problem.field}>
                <Table.Th scope="row" fw={500} w={170}>
                  {problem.label}
                </Table.Th>
                <Table.Td ta="right" w={90}>
                  {count.format(problem.count)}
                </Table.Td>
                <Table.Td>
                  <Text size="sm" c="dimmed">
                    {problem.hint}
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollRegion>
    </div>
  )
}

function Device({ health }: { health: Health }) {
  if (health.device.length === 0) return null
  return (
    <div>
      <Title order={3} size="h6" mb="xs">
        Device reports
      </Title>
      <ScrollRegion label="Device reports">
        <Table verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Report</Table.Th>
              <Table.Th>When</Table.Th>
              <Table.Th>Details</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {health.device.map((report) => (
              <Table.Tr key={`${report.kind} ${JSON.stringify(report.detail)}`}>
                <Table.Td>{report.kind}</Table.Td>
                <Table.Td>
                  <When at={report.at ?? report.received_at} />
                </Table.Td>
                <Table.Td>
                  <Code>{detailText(report.detail)}</Code>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollRegion>
    </div>
  )
}

const detailText = (detail: Record<string, unknown>) =>
  Object.entries(detail)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
