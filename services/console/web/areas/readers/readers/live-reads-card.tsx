import { Button, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { Card } from '../../../parts/page/card.tsx'

const LiveReads = lazy(() => import('./later/live-reads.tsx'))

/** Loaded, and connected, only while somebody watches. */
export function LiveReadsCard({ id, readerKey }: { id: number; readerKey: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Card
      title="Live reads"
      actions={
        <Button size="xs" variant="default" onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Stop watching' : 'Watch live'}
        </Button>
      }
    >
      {isOpen ? (
        <Suspense>
          <LiveReads id={id} readerKey={readerKey} />
        </Suspense>
      ) : (
        <Text size="sm" c="dimmed">
          Shows each tag as it is read, to set up antennas and assign new tags.
        </Text>
      )}
    </Card>
  )
}
