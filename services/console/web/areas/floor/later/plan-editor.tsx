import { Button, Group, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import type { Building, Room } from '../rooms.ts'
import type { FloorReader } from '../readers/use-floor-readers.ts'
import type { FloorPlanData } from '../use-plans.ts'
import './plan-editor.css'
import { PlanSide } from './plan-side.tsx'
import { PlanStage } from './plan-stage.tsx'
import { usePlanDraft } from './use-plan-draft.ts'

type Props = {
  /** `all` or the id of a location. */
  place: string
  plan: FloorPlanData | undefined
  shown: readonly Room[]
  building: Building
  readers: ReadonlyMap<number, FloorReader>
  onDone: () => void
}

/** Arranges the floor of a place: an image, the zones of locations, and readers. Nothing is saved before "Save". */
export default function PlanEditor({ place, plan, shown, building, readers, onDone }: Props) {
  const draft = usePlanDraft(place, plan, onDone)
  const { save, isChanged } = draft
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isChanged &&
      !save.isSending &&
      current.pathname !== next.pathname &&
      !window.confirm('Leave without saving the floor?'),
    enableBeforeUnload: () => isChanged,
  })
  return (
    <>
      <Group justify="space-between">
        <Text size="sm">
          Drag locations and readers, or move them with the arrow keys. Delete removes one.
        </Text>
        <Group gap="xs">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button loading={save.isSending} disabled={!isChanged} onClick={() => save.send(undefined)}>
            Save
          </Button>
        </Group>
      </Group>
      {save.error !== undefined && <FailureNotice error={save.error} />}
      <div className="floor-screen">
        <PlanStage
          draft={draft}
          building={building}
          readerNames={new Map([...readers.values()].map(({ id, name }) => [id, name]))}
        />
        <section aria-label="On the plan">
          <PlanSide draft={draft} shown={shown} readers={readers} />
        </section>
      </div>
    </>
  )
}
