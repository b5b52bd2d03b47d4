import { Group, SegmentedControl, Text } from '@mantine/core'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import { MODES } from './heat.ts'
import type { HeatShown } from './use-heat.ts'
import { RANGES } from '../use-location-uses.ts'

/** What rooms show, of which time, and what their color means. */
export function HeatBar({ shown }: { shown: HeatShown }) {
  const { mode, range, heat, query, change } = shown
  const isHeat = mode !== 'assets'
  return (
    <section aria-label="Rooms" className="heat-bar">
      <Group gap="sm">
        <Text size="sm">Show</Text>
        <SegmentedControl
          size="xs"
          data={[...MODES]}
          value={mode}
          onChange={(value) => change({ mode: value })}
          aria-label="Rooms show"
        />
        {isHeat && !shown.isPlayback && (
          <SegmentedControl
            size="xs"
            data={[...RANGES]}
            value={range}
            onChange={(value) => change({ range: value })}
            aria-label="Time of the heat"
          />
        )}
        {!isHeat && (
          <Text size="xs" c="dimmed">
            Color: assets now, out of the most at the same time in the last 7 days. With sub-locations, out of
            the sum of what each of them had at most.
          </Text>
        )}
        {heat && <Steps {...heat} />}
        {isHeat && shown.isPlayback && (
          <Text size="xs" c="dimmed">
            Of the whole time that is played back.
          </Text>
        )}
        {isHeat && query.data?.isCut && (
          <Text size="xs" c="dimmed">
            This counts a part: there is more than can be counted at once.
          </Text>
        )}
      </Group>
      {isHeat && query.isError && <FailureNotice error={query.error} onRetry={() => void query.refetch()} />}
    </section>
  )
}

const Steps = ({ steps, least, most }: Pick<NonNullable<HeatShown['heat']>, 'steps' | 'least' | 'most'>) => (
  <Group gap="xs">
    {steps.map(({ upTo, fill }) => (
      <Group key={fill} gap={4} wrap="nowrap">
        <span className="heat-step" style={{ '--fill': fill } as object} aria-hidden />
        <Text size="xs">{`to ${upTo}`}</Text>
      </Group>
    ))}
    <Text size="xs" c="dimmed">
      {steps.length > 0 ? `Least ${least}, most ${most}.` : 'Nothing in this time.'}
    </Text>
  </Group>
)
