import { Anchor, Grid, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { useSession } from '../../../session/use-session.ts'
import { type Draft, draftOf, withSettings } from './draft.ts'
import { PlacementForm } from './placement-form.tsx'
import { Preview } from './preview.tsx'
import { UnsteadyAssets } from './unsteady-assets.tsx'
import type { Unsteady } from './unsteady-text.ts'
import { type Placement, usePlacement } from '../../../parts/placement/use-placement.ts'

/** How positions are decided, what other settings would change, and where positions are unsteady. */
export default function Positions() {
  const placement = usePlacement()
  return (
    <Screen
      title="Positions"
      lead={
        <>
          Which read decides where an asset is.{' '}
          <Anchor href="/docs/positions" underline="always" inherit>
            How positions are decided
          </Anchor>
        </>
      }
    >
      <Loaded query={placement} what="the settings of positions">
        {(data) => <Settings placement={data} />}
      </Loaded>
    </Screen>
  )
}

function Settings({ placement }: { placement: Placement }) {
  const { isAdmin } = useSession()
  // Only what was changed here: the rest follows what others save meanwhile.
  const [typed, setTyped] = useState<Partial<Draft>>({})
  const [helped, setHelped] = useState<string>()
  const form = useRef<HTMLDivElement>(null)
  const draft = { ...draftOf(placement), ...typed }
  const change = (changed: Partial<Draft>) => setTyped((before) => ({ ...before, ...changed }))
  const use = ({ asset, setting }: Unsteady) => {
    change(changed(draft, withSettings(draft, setting)))
    setHelped(asset.name)
    form.current?.focus()
  }
  return (
    <>
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: isAdmin ? 7 : 12 }}>
          <div ref={form} tabIndex={-1}>
            <PlacementForm
              placement={placement}
              draft={draft}
              onChange={change}
              onSaved={() => {
                setTyped({})
                setHelped(undefined)
              }}
            />
          </div>
          <Text size="sm" c="dimmed" role="status" mt="xs">
            {helped !== undefined &&
              `The values that would have helped ${helped} are filled in. They are not saved yet.`}
          </Text>
        </Grid.Col>
        {isAdmin && (
          <Grid.Col span={{ base: 12, md: 5 }}>
            <Preview placement={placement} draft={draft} />
          </Grid.Col>
        )}
      </Grid>
      <UnsteadyAssets placement={placement} onUse={isAdmin ? use : undefined} />
    </>
  )
}

/** What of a draft another one changes, so that the rest still follows what is stored. */
const changed = (before: Draft, after: Draft): Partial<Draft> =>
  Object.fromEntries(
    Object.entries(after).filter(([key, value]) => String(value) !== String(before[key as keyof Draft])),
  )
