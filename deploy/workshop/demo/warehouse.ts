import { plannedAssets, type PlannedAsset } from './stock.ts'

export type PlannedLocation = { key: string; name: string; parentKey: string | null }
export type PlannedAntenna = { antenna: number; name: string; locationKey: string }
export type PlannedReader = {
  key: string
  name: string
  format: 'canonical' | 'impinj' | 'minew' | 'zebra'
  model: 'impinj-r700' | 'zebra-fixed' | 'zebra-sled' | 'ble-gateway' | 'minew-g1'
  transport: 'mqtt' | 'nats'
  antennas: PlannedAntenna[]
}
/** The demo organization. Parents come before their children. */
export type WarehousePlan = {
  locations: PlannedLocation[]
  assets: PlannedAsset[]
  readers: PlannedReader[]
}

/**
 * The simulated readers never see this one, so a manual scan of it shows. For other assets the first observation of a
 * minute counts (D8.1), and a simulated reader has usually made it.
 */
export const UNSEEN_ASSET = 'TOTE-170'

/** The demo warehouse, the same at every call, for seed and simulator. */
export function warehousePlan(): WarehousePlan {
  return { locations: plannedLocations(), assets: plannedAssets(), readers: plannedReaders() }
}

const SITE = 'RIVERSIDE'
const ZONES = {
  RECEIVING: 'Receiving hall',
  STORAGE: 'High-bay storage',
  DISPATCH: 'Dispatch hall',
  YARD: 'Yard',
}
const AREAS = [
  ['RECEIVING', 'DOCK-1', 'Dock 1, inbound'],
  ['RECEIVING', 'DOCK-2', 'Dock 2, inbound'],
  ['RECEIVING', 'INSPECTION', 'Goods inspection'],
  ['STORAGE', 'AISLE-A', 'Aisle A'],
  ['STORAGE', 'AISLE-B', 'Aisle B'],
  ['STORAGE', 'AISLE-C', 'Aisle C'],
  ['DISPATCH', 'PACKING', 'Packing'],
  ['DISPATCH', 'DOCK-3', 'Dock 3, outbound'],
  ['DISPATCH', 'DOCK-4', 'Dock 4, outbound'],
  ['DISPATCH', 'TOOL-ROOM', 'Tools'],
  ['DISPATCH', 'PARTS-ROOM', 'Parts'],
  ['YARD', 'GATE-1', 'Gate 1'],
  ['YARD', 'GATE-2-INSIDE', 'Gate 2 inside'],
  ['YARD', 'GATE-2-OUTSIDE', 'Gate 2 outside'],
] as const
const AISLES = ['A', 'B', 'C']
const BAYS = [1, 2, 3, 4]

/** Site → zone → aisle or dock → bay or bench. */
function plannedLocations(): PlannedLocation[] {
  return [
    { key: SITE, name: 'Riverside distribution centre', parentKey: null },
    ...Object.entries(ZONES).map(([key, name]) => ({ key, name, parentKey: SITE })),
    ...AREAS.map(([parentKey, key, name]) => ({ key, name, parentKey })),
    ...AISLES.flatMap((aisle) => BAYS.map((bay) => plannedBay(aisle, bay))),
    { key: 'INSPECTION-BENCH-1', name: 'Inspection bench 1', parentKey: 'INSPECTION' },
    { key: 'PACKING-LINE-1', name: 'Packing line 1', parentKey: 'PACKING' },
    { key: 'PACKING-LINE-2', name: 'Packing line 2', parentKey: 'PACKING' },
  ]
}

const bayKey = (aisle: string, bay: number) => `AISLE-${aisle}-BAY-${bay}`

function plannedBay(aisle: string, bay: number): PlannedLocation {
  return { key: bayKey(aisle, bay), name: `Bay ${aisle}${bay}`, parentKey: `AISLE-${aisle}` }
}

const bays = (...aisles: string[]) => aisles.flatMap((aisle) => BAYS.map((bay) => bayKey(aisle, bay)))

/** Side by side: each gateway also hears the beacons of the other room. */
export const ROOM_GATEWAYS = ['tool-room-gateway', 'parts-room-gateway'] as const
/** Its antennas, 1 inside and 2 outside, see the same trailer within seconds. */
export const GATE_READER = 'gate-2-portal'

const PORTAL = { format: 'impinj', model: 'impinj-r700' } as const
const SHELF = { format: 'zebra', model: 'zebra-fixed' } as const
const ROOM = { format: 'minew', model: 'minew-g1', transport: 'mqtt' } as const

/** Five use MQTT and four NATS. */
function plannedReaders(): PlannedReader[] {
  return [
    {
      ...PORTAL,
      key: 'receiving-portal',
      name: 'Receiving portal (Impinj R700)',
      transport: 'mqtt',
      antennas: antennas('DOCK-1', 'DOCK-2', 'INSPECTION', 'GATE-1'),
    },
    {
      ...PORTAL,
      key: 'dispatch-portal',
      name: 'Dispatch portal (Impinj R700)',
      transport: 'nats',
      antennas: antennas('DOCK-3', 'DOCK-4', 'PACKING-LINE-1', 'PACKING-LINE-2'),
    },
    {
      ...SHELF,
      key: 'storage-ab',
      name: 'Storage aisles A and B (Zebra FX9600)',
      transport: 'nats',
      antennas: antennas(...bays('A', 'B')),
    },
    {
      ...SHELF,
      key: 'storage-c',
      name: 'Storage aisle C (Zebra FXR90)',
      transport: 'mqtt',
      antennas: antennas(...bays('C')),
    },
    {
      key: 'inspection-sled',
      name: 'Inspection sled (Zebra RFD40)',
      format: 'zebra',
      model: 'zebra-sled',
      transport: 'mqtt',
      antennas: antennas('INSPECTION-BENCH-1'),
    },
    {
      key: 'ble-gateway',
      name: 'BLE gateway and handhelds',
      format: 'canonical',
      model: 'ble-gateway',
      transport: 'nats',
      antennas: antennas('INSPECTION', 'PACKING-LINE-1'),
    },
    {
      ...ROOM,
      key: ROOM_GATEWAYS[0],
      name: 'Tool room (Minew G1)',
      antennas: antennas('TOOL-ROOM'),
    },
    {
      ...ROOM,
      key: ROOM_GATEWAYS[1],
      name: 'Parts room (Minew G1)',
      antennas: antennas('PARTS-ROOM'),
    },
    {
      ...PORTAL,
      key: GATE_READER,
      name: 'Gate 2 (Impinj R700)',
      transport: 'nats',
      antennas: antennas('GATE-2-INSIDE', 'GATE-2-OUTSIDE'),
    },
  ]
}

/** Numbered from 1, as on the reader. */
function antennas(...locationKeys: string[]): PlannedAntenna[] {
  return locationKeys.map((locationKey, index) => ({
    antenna: index + 1,
    name: `Antenna ${index + 1} at ${locationKey}`,
    locationKey,
  }))
}
