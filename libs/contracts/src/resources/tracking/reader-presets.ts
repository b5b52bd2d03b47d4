import { z } from 'zod'
import { dataOf } from '../../rules/query.ts'
import { ReaderMappingView, type ReaderMapping } from './reader-mapping.ts'
import type { Route } from '../../route.ts'

export type ReaderPreset = {
  id: string
  name: string
  /** Which devices or programs send this, and what to set on them. */
  devices: string
  /** The published document of the shape. */
  source: string
  /** Where the device publishes, if the mapping reads the topic or the device has a topic of its own. */
  topic?: string
  mapping: ReaderMapping
}

const ReaderPresetView = z
  .object({
    id: z.string(),
    name: z.string(),
    devices: z.string(),
    source: z.string(),
    topic: z.string().optional(),
    mapping: ReaderMappingView,
  })
  .meta({ id: 'ReaderPreset' })

export const readerPresetRoutes = {
  listReaderPresets: {
    method: 'GET',
    path: '/reader-presets',
    upstream: 'tracking',
    access: 'session',
    counted: false,
    described: false,
    summary: 'List mappings for the published messages of devices and programs',
    success: { status: 200, schema: dataOf(z.array(ReaderPresetView)) },
    errors: ['validation_error'],
  },
} as const satisfies Record<string, Route>

/** Mappings for published messages that no other format reads. Each has a fixture `preset-<id>.json`. */
export const readerPresets: readonly ReaderPreset[] = [
  {
    id: 'openmqttgateway',
    name: 'OpenMQTTGateway, Theengs',
    devices: 'OpenMQTTGateway on an ESP32, Theengs Bridge, Plug and Gateway',
    source: 'https://docs.openmqttgateway.com/use/ble.html',
    topic: 'scans/<org>/<reader>/mapping/<address>',
    mapping: {
      reads: '',
      beacon: { uuid: '/uuid', major: '/major', minor: '/minor' },
      tag: '/id',
      tag_type: 'ble',
      rssi: '/rssi',
    },
  },
  {
    id: 'ruuvi-mqtt',
    name: 'Ruuvi Gateway, MQTT',
    devices: 'Ruuvi Gateway with timestamps. The address of the tag is in the topic only',
    source: 'https://docs.ruuvi.com/gw-data-formats/mqtt-time-stamped-data-from-bluetooth-sensors',
    topic: 'scans/<org>/<reader>/mapping/<gateway>/<tag>',
    mapping: {
      reads: '',
      beacon: { manufacturer_data: '/data' },
      tag: '$topic/2',
      tag_type: 'ble',
      rssi: '/rssi',
      time: '/ts',
      time_format: 'epoch_s',
      identity: '/gw_mac',
    },
  },
  {
    id: 'ruuvi-http',
    name: 'Ruuvi Gateway, HTTP',
    devices: 'Ruuvi Gateway with timestamps',
    source: 'https://docs.ruuvi.com/gw-data-formats/http-time-stamped-data-from-bluetooth-sensors',
    mapping: {
      reads: '/data/tags/*',
      beacon: { manufacturer_data: '/data' },
      tag: '$key',
      tag_type: 'ble',
      rssi: '/rssi',
      time: '/timestamp',
      time_format: 'epoch_s',
      identity: '/data/gw_mac',
    },
  },
  {
    id: 'cassia',
    name: 'Cassia gateway, MQTT',
    devices: 'Cassia X1000, X2000, E1000, M2000 with the MQTT API',
    source: 'https://github.com/CassiaNetworks/CassiaSDKGuide/wiki/MQTT-API-%E2%80%90-Convention',
    mapping: {
      reads: '/data',
      beacon: { manufacturer_data: '/adData' },
      tag: '/bdaddrs/0/bdaddr',
      tag_type: 'ble',
      rssi: '/rssi',
      time: '^/timestamp',
      time_format: 'epoch_ms',
      identity: '/gateway',
      event: '^/action',
      read_events: ['data.scan'],
      heartbeat_events: ['heartbeat', 'gateway_status'],
    },
  },
  {
    id: 'nrf-cloud',
    name: 'nRF Cloud gateway',
    devices: 'Gateways with the nRF Cloud messages: scan_result',
    source: 'https://github.com/nRFCloud/gateway-common/wiki/Example-Messages',
    mapping: {
      reads: '/event/devices',
      tag: '/address/address',
      tag_type: 'ble',
      rssi: '/rssi',
      time: '^/event/timestamp',
      time_format: 'iso',
      identity: '/gatewayId',
    },
  },
  {
    id: 'shelly-blu',
    name: 'Shelly BLU',
    devices:
      'Shelly Gen2 and later with the script universal-blu-to-mqtt; put the topic before the address in it',
    source:
      'https://github.com/ALLTERCO/shelly-script-examples/blob/main/ble/universal-blu-to-mqtt.shelly.js',
    topic: 'scans/<org>/<reader>/mapping/<address>',
    mapping: { reads: '', tag: '/addr', tag_type: 'ble', rssi: '/rssi' },
  },
  {
    id: 'tasmota-ibeacon',
    name: 'Tasmota, iBeacon driver',
    devices: 'Tasmota on an ESP32 or with an HM-1x module',
    source: 'https://tasmota.github.io/docs/Bluetooth/',
    topic: 'scans/<org>/<reader>/mapping/tele/<name>/SENSOR',
    mapping: {
      reads: '/IBEACON',
      beacon: { uuid: '/UID', major: '/MAJOR', minor: '/MINOR', number_format: 'hex' },
      tag: '/MAC',
      tag_type: 'ble',
      rssi: '/RSSI',
      time: '^/Time',
      time_format: 'local',
      event: '/STATE',
      read_events: ['ON'],
      heartbeat_events: ['OFF'],
    },
  },
  {
    id: 'espresense',
    name: 'ESPresense',
    devices: 'ESPresense nodes, by a bridge that forwards `espresense/devices/#`. One reader for each room',
    source: 'https://github.com/ESPresense/ESPresense',
    topic: 'scans/<org>/<reader>/mapping/<id>/<room>',
    mapping: {
      reads: '',
      beacon: '/id',
      tag: '/mac',
      tag_type: 'ble',
      rssi: '/rssi',
      identity: '$topic/2',
    },
  },
  {
    id: 'flespi-teltonika',
    name: 'Teltonika trackers, by flespi',
    devices:
      'Teltonika FMB and FMC trackers by an MQTT stream of flespi. Register an iBeacon as ble, an Eddystone id as rfid',
    source: 'https://flespi.com/protocols/teltonika',
    mapping: {
      reads: '/ble.beacons',
      beacon: '/id',
      tag: '/id',
      tag_type: 'rfid',
      rssi: '/rssi',
      time: '^/timestamp',
      time_format: 'epoch_s',
      identity: '/ident',
    },
  },
  {
    id: 'sensecap-chirpstack',
    name: 'SenseCAP T1000, by ChirpStack',
    devices:
      'LoRaWAN trackers with the SenseCAP decoder; ChirpStack v4, event `up`. Reads the BLE scan (packet 08)',
    source: 'https://github.com/Seeed-Solution/SenseCAP-Decoder',
    mapping: {
      reads: '/object/messages/0/1/measurementValue',
      tag: '/mac',
      tag_type: 'ble',
      rssi: '/rssi',
      time: '^/time',
      time_format: 'iso',
      identity: '/deviceInfo/devEui',
    },
  },
  {
    id: 'sensecap-ttn',
    name: 'SenseCAP T1000, by The Things Stack',
    devices:
      'LoRaWAN trackers with the SenseCAP decoder; The Things Stack v3. Reads the BLE scan (packet 08)',
    source: 'https://github.com/Seeed-Solution/SenseCAP-Decoder',
    mapping: {
      reads: '/uplink_message/decoded_payload/messages/0/1/measurementValue',
      tag: '/mac',
      tag_type: 'ble',
      rssi: '/rssi',
      time: '^/received_at',
      time_format: 'iso',
      identity: '/end_device_ids/dev_eui',
    },
  },
  {
    id: 'keonn',
    name: 'Keonn AdvanNet',
    devices: 'AdvanReader with the JSON config of its page in the guide',
    source: 'https://wiki.keonn.com/software/advannet/services/mqtt-service',
    mapping: {
      reads: '',
      tag: '/epc',
      tag_type: 'rfid',
      antenna: '/ant',
      rssi: '/rssi',
      time: '/ts',
      time_format: 'epoch_ms',
      identity: '/device',
      event: '/ev',
      read_events: ['TAG_READ'],
      heartbeat_events: ['SYSTEM_1MINUTE_TIMER'],
    },
  },
  {
    id: 'intel-rsp',
    name: 'Intel RSP',
    devices: 'RSP sensors, `rfid/rsp/data/#`. They number antennas from 0, so a sensor counts as antenna 1',
    source: 'https://github.com/intel/rsp-sw-toolkit-gw',
    mapping: {
      reads: '/params/data',
      tag: '/epc',
      tag_type: 'rfid',
      rssi: '/rssi',
      rssi_unit: 'dBm/10',
      time: '/last_read_on',
      time_format: 'epoch_ms',
      identity: '/params/device_id',
    },
  },
  {
    id: 'zebra-data-services',
    name: 'Zebra Data Services for RFID',
    devices: 'FX7500 and FX9600 by the Zebra cloud, webhook without a transformation',
    source: 'https://developer.zebra.com/content/zds-rfid-web-subscriptions-using-jq-transformation',
    mapping: {
      reads: '/event/data',
      tag: '/id',
      tag_type: 'rfid',
      antenna: '/antennaId',
      time: '^/event/timestamp',
      time_format: 'iso',
    },
  },
  {
    id: 'zebra-datawedge',
    name: 'Zebra DataWedge',
    devices: 'Mobile computers with an app that publishes the extras of the scan intent as JSON',
    source: 'https://techdocs.zebra.com/datawedge/latest/guide/output/intent/',
    mapping: { reads: '', tag: '/com.symbol.datawedge.data_string', tag_type: 'barcode' },
  },
  {
    id: 'terso-jetstream',
    name: 'Terso Jetstream',
    devices: 'RFID cabinets and read points of Terso Solutions: ObjectEvent',
    source: 'https://docs.tersosolutions.com/jetstream-v3/objectevent',
    mapping: {
      reads: '/Observe',
      tag: '',
      tag_type: 'rfid',
      time: '^/EventTime',
      time_format: 'iso',
      identity: '/Device',
    },
  },
]
