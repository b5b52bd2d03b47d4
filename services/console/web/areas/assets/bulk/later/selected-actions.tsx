import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Asset } from '../../assets/asset-fields.ts'
import { DeleteSelected } from './delete-selected.tsx'
import { EditSelected } from './edit-selected.tsx'
import { ExportSelected } from './export-selected.tsx'
import { MoveSelected } from './move-selected.tsx'

const DIALOGS = { Edit: EditSelected, Move: MoveSelected, Delete: DeleteSelected }

type Props = { assets: readonly Asset[]; onDone: () => void }

/** What can be done with the chosen assets. */
export default function SelectedActions({ assets, onDone }: Props) {
  const [opened, setOpened] = useState<keyof typeof DIALOGS>()
  const close = () => setOpened(undefined)
  const Dialog = opened && DIALOGS[opened]
  return (
    <>
      {(Object.keys(DIALOGS) as (keyof typeof DIALOGS)[]).map((name) => (
        <Button key={name} size="compact-sm" variant="default" onClick={() => setOpened(name)}>
          {name}…
        </Button>
      ))}
      <ExportSelected assets={assets} />
      {Dialog && (
        <Dialog
          assets={assets}
          onClose={close}
          onDone={() => {
            close()
            onDone()
          }}
        />
      )}
    </>
  )
}
