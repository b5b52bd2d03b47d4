import type { ReaderPlace } from './broker-address.ts'
import type { ReaderFormat } from './formats.ts'

export type VendorSteps = {
  steps: readonly string[]
  /** To be copied where the steps name them. */
  values?: (place: ReaderPlace) => readonly { label: string; value: string }[]
}

const ASK_FOR_TOPIC = 'Set the topic above as the publish topic, with QoS 1, and leave command topics empty.'

/** What is special about each vendor, in the words of the guide for readers. */
const STEPS: Readonly<Record<ReaderFormat, VendorSteps>> = {
  canonical: {
    steps: [
      'Publish JSON to the topic or subject above: a list "reads", each with the tag and the antenna that saw it.',
      'Wait for the acknowledgement and publish again without one. At most 1 000 reads and 256 KiB a message.',
    ],
    values: () => [{ label: 'Example of a message', value: EXAMPLE }],
  },
  impinj: {
    steps: [
      'On the reader choose the IoT device interface and MQTT, with the topic above and QoS 1.',
      'In the preset switch on epcHex (or epc), antennaPort, peakRssiCdbm and lastSeenTime: all are off until then.',
    ],
  },
  zebra: {
    steps: [
      'FX, ATR and FXR readers: in IoT Connector set the topic above as the data endpoint. In the modes SIMPLE and CUSTOM switch on ANTENNA and RSSI in tagMetaData.',
      'RFD sleds publish to tenant, topic and serial number: set the two values below.',
    ],
    values: ({ orgId, readerKey }) => [
      { label: 'Tenant of a sled', value: 'scans' },
      { label: 'Topic of a sled', value: `${orgId}/${readerKey}/zebra` },
    ],
  },
  csl: {
    steps: [
      'Keep the JSON format the reader comes with and set the topic above. A reader that only calls a URL needs a bridge.',
      'Set the clock: until then it stands in April 2019. Where it tells wall time, set the time zone here.',
    ],
  },
  moko: { steps: [ASK_FOR_TOPIC, 'The MKGW4 sends binary frames, which are not understood.'] },
  minew: { steps: [ASK_FOR_TOPIC, 'Choose the format JSON-LONG or JSON-RAW; firmware before 4 cannot.'] },
  'gl-s10': {
    steps: [
      ASK_FOR_TOPIC,
      'The first generation has its topic fixed and needs a bridge or new firmware. There are no heartbeats.',
    ],
  },
  kkm: {
    steps: [
      ASK_FOR_TOPIC,
      'Set the time zone here, since the gateway tells wall time, and switch on "time" for each tag in its report.',
    ],
  },
  mapping: {
    steps: [
      ASK_FOR_TOPIC,
      'The mapping of this reader says where in its messages tag, antenna, signal strength and time stand.',
    ],
  },
}

const EXAMPLE = '{"reads":[{"tag":{"type":"rfid","value":"E28011606000020A1B2C3D4E"},"antenna":1}]}'

/** A newer API may know more formats: then what holds for all. */
export const vendorSteps = (format: string): VendorSteps =>
  STEPS[format as ReaderFormat] ?? { steps: [ASK_FOR_TOPIC] }
