import { Button, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useSession } from '../../session/use-session.ts'
import { Card } from '../page/card.tsx'
import type { Audited } from './later/change-rows.tsx'

const Rows = lazy(() => import('./later/change-rows.tsx'))

/** Who changed one thing, for administrators: the audit has names and addresses of people. Loaded when somebody asks. */
export function ChangeHistory({ type, id }: Audited) {
  const { isAdmin } = useSession()
  const [isOpen, setOpen] = useState(false)
  if (!isAdmin) return null
  return (
    <Card
      title="Changes"
      actions={
        <Button size="xs" variant="default" onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide changes' : 'Show changes'}
        </Button>
      }
    >
      {isOpen ? (
        <Suspense>
          <Rows type={type} id={id} />
        </Suspense>
      ) : (
        <Text size="sm" c="dimmed">
          Who changed this {type}, when, and from what to what.
        </Text>
      )}
    </Card>
  )
}
