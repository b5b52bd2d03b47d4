import { expect, test } from 'vitest'
import { createCanonicalReader } from './canonical.ts'
import type { Sighting } from './device.ts'
import { createImpinjReader } from './impinj.ts'
import { createMinewGateway } from './minew.ts'
import { createZebraReader } from './zebra.ts'
import { createZebraSled } from './zebra-sled.ts'

const at = new Date('2026-03-01T10:00:01.194Z')
const rfid: Sighting = {
  antenna: 3,
  tag: { type: 'rfid', value: 'E2806F120000000200A1B2C4' },
  rssiDbm: -52.344,
  readCount: 4,
  seenAt: at,
}
const barcode: Sighting = { ...rfid, tag: { type: 'barcode', value: 'Box-000042' } }
const ble: Sighting = { ...rfid, locationKey: 'DOCK-1', tag: { type: 'ble', value: 'D2F3041526A7' } }

const impinj = (framing: 'single' | 'stream') =>
  createImpinjReader({ hostname: 'impinj-0a-0b-01', framing, antennas: 4 })
const zebra = (mode: 'SIMPLE' | 'INVENTORY') =>
  createZebraReader({ mac: 'C4:7D:CC:0A:0B:03', hostName: 'FX96000A0B03', mode, antennas: 8 })
const sled = () => createZebraSled({ serial: '24199999900005' })

const parse = (text: string | undefined) => JSON.parse(text ?? '')

test('Impinj over MQTT: one event per message, the EPC in base64url, the strength in 1/100 dBm', () => {
  const messages = impinj('single').reads([rfid, rfid])
  expect(messages).toHaveLength(2)
  expect(parse(messages[0])).toEqual({
    timestamp: '2026-03-01T10:00:01.198Z',
    hostname: 'impinj-0a-0b-01',
    eventType: 'tagInventory',
    tagInventoryEvent: {
      epc: '4oBvEgAAAAIAobLE',
      antennaPort: 3,
      antennaName: 'Antenna 3',
      peakRssiCdbm: -5234,
      frequency: 915_750,
      transmitPowerCdbm: 3000,
      lastSeenTime: '2026-03-01T10:00:01.194Z',
    },
  })
})

test('Impinj as a stream: lines that end in CR LF, with a blank keep-alive', () => {
  const [message, ...more] = impinj('stream').reads([rfid, rfid])
  expect(more).toEqual([])
  expect(message?.endsWith('}\r\n\r\n')).toBe(true)
  const lines = message?.split('\r\n').filter(Boolean) ?? []
  expect(lines.map((line) => parse(line).eventType)).toEqual(['tagInventory', 'tagInventory'])
})

test('an Impinj reader reports its state and antennas when it starts', () => {
  const events = impinj('single').greeting(at).map(parse)
  expect(events[0]).toMatchObject({
    eventType: 'inventoryStatus',
    inventoryStatusEvent: { status: 'running' },
  })
  expect(events.slice(1).map((event) => event.antennaConnectedEvent.antennaPort)).toEqual([1, 2, 3, 4])
})

test('a broken Impinj message still has a whole line in it', () => {
  const lines = impinj('stream').broken(at).split('\r\n').filter(Boolean)
  expect(lines.map(isJson)).toEqual([true, false])
})

test('Zebra INVENTORY: lower-case hex, whole dBm, reads and antenna, a zone without colon', () => {
  const [message] = zebra('INVENTORY').reads([rfid])
  expect(parse(message)).toEqual({
    type: 'INVENTORY',
    timestamp: '2026-03-01T10:00:01.194+0000',
    data: {
      MAC: 'C4:7D:CC:0A:0B:03',
      antenna: 3,
      eventNum: 1,
      format: 'epc',
      idHex: 'e2806f120000000200a1b2c4',
      peakRssi: -52,
      reads: 4,
    },
  })
})

test('Zebra SIMPLE with metadata names the antenna', () => {
  const [message] = zebra('SIMPLE').reads([rfid])
  expect(parse(message)).toMatchObject({ type: 'SIMPLE', data: { antenna: 3, MAC: 'C4:7D:CC:0A:0B:03' } })
})

test('a Zebra reader concatenates simultaneous reads and keeps counting events', () => {
  const [message] = zebra('INVENTORY').reads([rfid, rfid])
  const events = message?.split(/(?<=\})(?=\{"data)/).map(parse) ?? []
  expect(events.map((event) => event.data.eventNum)).toEqual([1, 2])
})

test('a Zebra heartbeat names every antenna and the device', () => {
  const [message] = zebra('INVENTORY').heartbeat(at)
  const { component, type, data } = parse(message)
  expect({ component, type }).toEqual({ component: 'RG', type: 'heartbeat' })
  expect(Object.keys(data.radio_control.antennas)).toHaveLength(8)
  expect(data.system).toMatchObject({ macAddress: 'C4:7D:CC:0A:0B:03', flash: null })
  expect(data.system.uptime).toMatch(/^\d+:\d+:\d+$/)
})

test('a sled reports tags and barcodes together, with times in milliseconds', () => {
  const [message] = sled().reads([rfid, barcode])
  expect(parse(message)).toEqual({
    type: 'BALANCED_PERFORMANCE',
    timestamp: '2026-03-01T10:00:01Z',
    data: {
      tagData: [
        {
          EPCid: 'E2806F120000000200A1B2C4',
          eventNum: 1,
          format: 'EPC',
          peakRssi: -52,
          seenCount: 4,
          firstSeenTime: at.getTime() - 120,
          lastSeenTime: at.getTime(),
        },
      ],
      barcodeData: [{ symbology: 'CODE_128', decodedBarcode: 'Box-000042' }],
    },
  })
})

test('a sled connects with its serial number and reports its battery', () => {
  const [connection, heartbeat] = sled().greeting(at).map(parse)
  expect(connection).toMatchObject({ connectionState: 'CONNECTED', deviceSerialNo: '24199999900005' })
  expect(heartbeat.data.batteryAlert.chargePercentage).toBe(99)
})

test('the canonical message carries the location of a handheld and no strength for a barcode', () => {
  const [message] = createCanonicalReader().reads([ble, barcode])
  expect(parse(message).reads).toEqual([
    {
      tag: { type: 'ble', value: 'D2F3041526A7' },
      antenna: 3,
      location: 'DOCK-1',
      read_at: '2026-03-01T10:00:01.194Z',
      rssi_dbm: -52.3,
      read_count: 4,
    },
    {
      tag: { type: 'barcode', value: 'Box-000042' },
      antenna: 3,
      read_at: '2026-03-01T10:00:01.194Z',
      read_count: 4,
    },
  ])
})

test('a Bluetooth gateway reports itself first, then each beacon with whole dBm', () => {
  const gateway = createMinewGateway({ mac: 'AC233FC0A007' })
  const [message, ...more] = gateway.reads([ble, ble])
  expect(more).toEqual([])
  const own = {
    timestamp: at.toISOString(),
    type: 'Gateway',
    mac: 'AC233FC0A007',
    gatewayFree: 89,
    gatewayLoad: 0.03,
  }
  const beacon = {
    timestamp: at.toISOString(),
    type: 'Unknown',
    mac: 'D2F3041526A7',
    bleName: '',
    rssi: -52,
    rawData: '',
  }
  expect(parse(message)).toEqual([own, beacon, beacon])
  expect(gateway.greeting(at).map(parse)).toEqual([[own]])
})

test('a broken message of a Bluetooth gateway is understood in part', () => {
  const message = parse(createMinewGateway({ mac: 'AC233FC0A007' }).broken(at))
  expect(message).toMatchObject([{ type: 'Gateway' }, { rssi: -70 }])
  expect(message[1]).not.toHaveProperty('mac')
})

test('a device that sees no tag publishes nothing', () => {
  const devices = [
    createMinewGateway({ mac: 'AC233FC0A007' }),
    impinj('single'),
    sled(),
    createCanonicalReader(),
  ]
  expect(devices.flatMap((device) => device.reads([]))).toEqual([])
})

test('the integration sometimes sends an unusable message', () => {
  const message = createCanonicalReader().broken(at)
  expect(isJson(message)).toBe(false)
  expect(message).toContain('The demo of npm start breaks this message on purpose.')
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
