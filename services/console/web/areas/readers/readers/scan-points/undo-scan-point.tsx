import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { failureOf } from '../../../../parts/load/failure.ts'
import { api } from '../../../../session/api.ts'
import { strengthBody, typedOf } from './scan-point-strength.ts'
import type { ScanPoint } from '../../../connect/use-scan-points.ts'

const SHOWN_MS = 15_000

/** Tells that a scan point was deleted, with a button that creates it again. It gets another id, which nobody sees. */
export function offerUndo(readerId: number, point: ScanPoint, reload: () => unknown) {
  const { antenna, name, location } = point
  const id = `deleted-scan-point-${readerId}-${antenna}`
  const undo = async () => {
    notifications.hide(id)
    try {
      const body = { antenna, name, location_id: location?.id ?? null, ...strengthBody(typedOf(point)) }
      await api.post('/api/v1/readers/{reader_id}/scan-points', { path: { reader_id: readerId }, body })
      await reload()
    } catch (error) {
      const { title, detail } = failureOf(error)
      notifications.show({ color: 'red', title, message: detail ?? `${name} could not be restored.` })
    }
  }
  notifications.show({
    id,
    autoClose: SHOWN_MS,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{`${name} deleted.`}</Text>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => void undo()}
          aria-label={`Undo: restore ${name}`}
        >
          Undo
        </Button>
      </Group>
    ),
  })
}
