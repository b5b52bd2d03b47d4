import { Anchor, SegmentedControl, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { PlayerBar } from './player-bar.tsx'
import { type Playing, SPANS } from './use-playback.ts'

/** Plays back a time: which, where in it, how fast. */
export function PlaybackBar({ playing }: { playing: Playing }) {
  const { span, day, player, isCut, show } = playing
  return (
    <PlayerBar
      player={player}
      isCut={isCut}
      before={
        <>
          <SegmentedControl
            size="xs"
            data={[{ value: '', label: 'Live' }, ...SPANS.map(({ value, label }) => ({ value, label }))]}
            value={span}
            onChange={(value) => show({ span: value })}
            aria-label="Show"
          />
          {span === 'day' && (
            <TextInput
              size="xs"
              type="date"
              aria-label="Day"
              value={day}
              onChange={(event) => show({ day: event.currentTarget.value })}
            />
          )}
        </>
      }
    >
      <Anchor
        component={Link}
        to="/assets"
        search={() => ({ at: new Date(player.at).toISOString() }) as never}
        size="sm"
      >
        As a list
      </Anchor>
    </PlayerBar>
  )
}
