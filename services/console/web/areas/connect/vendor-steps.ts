import type { ReaderTopic } from './broker-address.ts'
import type { ReaderFormat } from './formats.ts'

export type VendorSteps = {
  /** The page of the guide. */
  guide: string
  steps: readonly string[]
  /** Values to copy for the steps. */
  values?: (topic: ReaderTopic) => readonly { label: string; value: string }[]
}

const SET_TOPIC = 'Set the topic above as the publish topic, with QoS 1, and leave command topics empty.'

/** Steps by vendor, in short. The page has the rest. */
const STEPS: Readonly<Record<ReaderFormat, VendorSteps>> = {
  canonical: {
    guide: '/docs/readers/canonical',
    steps: [
      'Publish JSON to the topic or subject above: a list "reads", each with the tag and the antenna that saw it.',
      'Wait for the acknowledgement. Publish again if there is none. At most 1,000 reads and 256 KiB per message.',
    ],
    values: () => [{ label: 'Example message', value: EXAMPLE }],
  },
  impinj: {
    guide: '/docs/readers/impinj',
    steps: [
      'On the reader, choose the IoT device interface and MQTT, with the topic above and QoS 1.',
      'In the preset, turn on epcHex (or epc), antennaPort, peakRssiCdbm and lastSeenTime. All are off by default.',
    ],
  },
  zebra: {
    guide: '/docs/readers/zebra',
    steps: [
      'FX, ATR and FXR readers: in IoT Connector, set the topic above as the data endpoint. In SIMPLE and CUSTOM mode, turn on ANTENNA and RSSI in tagMetaData.',
      'RFD sleds publish to tenant, topic and serial number: set the two values below.',
    ],
    values: ({ orgId, readerKey }) => [
      { label: 'Sled tenant', value: 'scans' },
      { label: 'Sled topic', value: `${orgId}/${readerKey}/zebra` },
    ],
  },
  csl: {
    guide: '/docs/readers/csl',
    steps: [
      'Keep the default JSON format and set the topic above. A reader that can only call a URL takes the HTTPS address.',
      'Set the clock: it starts in April 2019. If the device sends local time, set the time zone of the reader in the console.',
    ],
  },
  moko: {
    guide: '/docs/readers/moko',
    steps: [SET_TOPIC, 'The MKGW4 is not supported, because it sends binary frames.'],
  },
  minew: {
    guide: '/docs/readers/minew',
    steps: [
      SET_TOPIC,
      'Choose the format JSON-LONG or JSON-RAW. Firmware before version 4 does not support them.',
    ],
  },
  'gl-s10': {
    guide: '/docs/readers/gl-inet',
    steps: [
      SET_TOPIC,
      'The first generation has a fixed topic and needs a bridge or new firmware. There are no heartbeats.',
    ],
  },
  kkm: {
    guide: '/docs/readers/kkm',
    steps: [
      SET_TOPIC,
      'Set the time zone of the reader in the console, because the gateway sends local time. Turn on "time" for each tag in its report.',
    ],
  },
  mapping: {
    guide: '/docs/readers/mapping',
    steps: [
      SET_TOPIC,
      'The mapping of this reader defines the position of tag, antenna, signal strength and time in its messages.',
    ],
  },
}

const EXAMPLE = '{"reads":[{"tag":{"type":"rfid","value":"E28011606000020A1B2C3D4E"},"antenna":1}]}'

/** A newer API may have more formats: returns the general step. */
export const vendorSteps = (format: string): VendorSteps =>
  STEPS[format as ReaderFormat] ?? { guide: '/docs/readers', steps: [SET_TOPIC] }
