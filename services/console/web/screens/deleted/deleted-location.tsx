import { Stack } from '@mantine/core'
import { useState } from 'react'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { failureOf } from '../../parts/failure.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { LocationPicker, type PickedLocation } from '../../parts/location-picker.tsx'
import { RestoreForm } from './restore-form.tsx'
import { type ParentToRestore, reloadedLocation, restoreLocation, useLocationPreview } from './restore.ts'

type Props = { id: number; error: unknown }

/** In place of a location that the API does not show, like `DeletedAsset`. */
export function DeletedLocation({ id, error }: Props) {
  const preview = useLocationPreview(id)
  const [parent, setParent] = useState<PickedLocation | null>(null)
  if (preview.isError && failureOf(preview.error).isMissing) return <FailureNotice error={error} />
  return (
    <Loaded query={preview} what="the deleted location">
      {({ location, parent: former, tags, key_held_by: keyHeldBy }) => {
        const needsParent = former !== null && former.deleted_at !== null
        return (
          <RestoreForm
            noun="location"
            thing={location}
            tags={tags}
            keyHeldBy={keyHeldBy}
            effect={`${placeOf(former)}The history shows its name again. Assets that were last seen there are there again.`}
            restore={(key) =>
              restoreLocation(id, {
                ...(key !== undefined && { external_key: key }),
                ...(needsParent && { parent_id: parent?.id ?? null }),
              })
            }
            reload={reloadedLocation}
            field="parent_id"
          >
            {needsParent && (
              <Stack maw={420}>
                <LocationPicker
                  label="Restore below"
                  description={`Its parent location ${former.name} is deleted. Restore that first, choose another one, or leave this empty for the top level.`}
                  value={parent}
                  onChange={setParent}
                  exclude={id}
                />
              </Stack>
            )}
          </RestoreForm>
        )
      }}
    </Loaded>
  )
}

const placeOf = (parent: ParentToRestore | null) =>
  parent === null
    ? 'It is at the top level again. '
    : parent.deleted_at === null
      ? `It is a sub-location of ${parent.name} again. `
      : ''
