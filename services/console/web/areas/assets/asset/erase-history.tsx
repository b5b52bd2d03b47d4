import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazy, Suspense } from 'react'
import { FormModal } from '../../../parts/form/form-modal.tsx'
import { Waiting } from '../../../parts/load/loaded.tsx'
import { useSession } from '../../../session/use-session.ts'

const EraseForm = lazy(() => import('./later/erase-form.tsx'))

type Props = { asset: { id: number; name: string } }

/** For administrators: erases where an asset was, also of a deleted one. */
export function EraseHistory({ asset }: Props) {
  const { isAdmin } = useSession()
  const [isOpen, { open, close }] = useDisclosure(false)
  if (!isAdmin) return null
  return (
    <>
      <Button variant="default" onClick={open}>
        Erase history…
      </Button>
      <FormModal opened={isOpen} onClose={close} title={`Erase history of ${asset.name}`}>
        <Suspense fallback={<Waiting what="the form" />}>
          <EraseForm asset={asset} onClose={close} />
        </Suspense>
      </FormModal>
    </>
  )
}
