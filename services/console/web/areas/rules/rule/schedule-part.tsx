import { Checkbox, Group, NativeSelect, Text, TextInput } from '@mantine/core'
import { useRead } from '../../../parts/load/use-read.ts'
import { useSession } from '../../../session/use-session.ts'
import { AT_WORK, choiceOf, DAYS, ON_WEEKDAYS, type Schedule } from '../words/schedules.ts'
import { useState } from 'react'
import type { PartProps } from './subject-part.tsx'

const SCHEDULES: Readonly<Record<string, Schedule | null>> = {
  always: null,
  weekdays: ON_WEEKDAYS,
  custom: AT_WORK,
}

/** When alerts are raised, in the time zone of the organization. */
export function SchedulePart({ draft: { schedule, kind }, onChange, problem }: PartProps) {
  // Days and hours of one's own may for a moment be those of the other choices.
  const [isCustom, setCustom] = useState(choiceOf(schedule) === 'custom')
  const isOpen = isCustom && schedule !== null
  return (
    <>
      <NativeSelect
        label="When"
        data={[
          { value: 'always', label: 'at any time' },
          { value: 'weekdays', label: 'on weekdays' },
          { value: 'custom', label: 'on these days and hours' },
        ]}
        value={isOpen ? 'custom' : choiceOf(schedule)}
        onChange={({ currentTarget: { value } }) => {
          setCustom(value === 'custom')
          onChange({ schedule: SCHEDULES[value] ?? null })
        }}
      />
      {isOpen && (
        <DaysAndHours
          schedule={schedule}
          onChange={(change) => onChange({ schedule: { ...schedule, ...change } })}
          problem={problem}
        />
      )}
      {(schedule !== null || kind === 'missing_at') && <Zone />}
    </>
  )
}

type Props = {
  schedule: Schedule
  onChange: (change: Partial<Schedule>) => void
  problem: PartProps['problem']
}

const DaysAndHours = ({ schedule: { days, from, to }, onChange, problem }: Props) => (
  <>
    <Checkbox.Group
      label="Days"
      value={days.map(String)}
      onChange={(next) => onChange({ days: next.map(Number).toSorted((one, other) => one - other) })}
      error={problem('schedule.days')}
    >
      <Group gap="md" mt={6}>
        {DAYS.map((day, at) => (
          <Checkbox key={day} value={String(at + 1)} label={day} />
        ))}
      </Group>
    </Checkbox.Group>
    <Group gap="sm" align="flex-start">
      <TextInput
        type="time"
        label="From"
        value={from}
        onChange={({ currentTarget }) => onChange({ from: currentTarget.value })}
        error={problem('schedule.from')}
      />
      <TextInput
        type="time"
        label="To"
        value={to}
        onChange={({ currentTarget }) => onChange({ to: currentTarget.value })}
        error={problem('schedule.to')}
      />
    </Group>
  </>
)

/** The time zone of days and times, once it is known. */
export function Zone() {
  const { org } = useSession()
  const path = { org_id: org.id }
  const { data } = useRead(['organization', org.id], '/api/v1/orgs/{org_id}', { path })
  return (
    data && (
      <Text size="sm" c="dimmed">
        {`Times are in the time zone of your organization: ${data.timezone}.`}
      </Text>
    )
  )
}
