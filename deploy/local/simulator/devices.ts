import type { PlannedReader } from '../demo/warehouse.ts'
import { createCanonicalReader } from './canonical.ts'
import type { Device } from './device.ts'
import { createImpinjReader } from './impinj.ts'
import { createZebraReader } from './zebra.ts'
import { createZebraSled } from './zebra-sled.ts'

/** The device of a reader in the plan. Its hardware addresses derive from `index`, its place there. */
export function createDevice(reader: PlannedReader, index: number): Device {
  return DEVICES[reader.model](reader, String(index + 1).padStart(2, '0'))
}

const DEVICES: Record<PlannedReader['model'], (reader: PlannedReader, octet: string) => Device> = {
  'impinj-r700': ({ transport, antennas }, octet) =>
    createImpinjReader({
      hostname: `impinj-0a-0b-${octet}`,
      framing: transport === 'mqtt' ? 'single' : 'stream',
      antennas: antennas.length,
    }),
  'zebra-fixed': ({ transport, antennas }, octet) =>
    createZebraReader({
      mac: `C4:7D:CC:0A:0B:${octet}`,
      hostName: `FX96000A0B${octet}`,
      mode: transport === 'mqtt' ? 'SIMPLE' : 'INVENTORY',
      antennas: antennas.length,
    }),
  'zebra-sled': (_, octet) => createZebraSled({ serial: `241999999000${octet}` }),
  'ble-gateway': () => createCanonicalReader(),
}
