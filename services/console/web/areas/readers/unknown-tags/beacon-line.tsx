import { Text } from '@mantine/core'

type Props = { value: string; ibeacon: string | null | undefined }

/** The identity of an iBeacon below its address. Nothing for another tag, or where the identity is the value. */
export function BeaconLine({ value, ibeacon }: Props) {
  if (ibeacon == null || ibeacon === value) return null
  return (
    <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
      {`iBeacon ${ibeacon}`}
    </Text>
  )
}
