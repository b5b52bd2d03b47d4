import type { TagType } from '@whereabouts/contracts/resources/catalog/tags'

export type PlannedTag = { type: TagType; value: string }
/** Walk through the warehouse, from stop to stop. */
export type WalkingKind = 'forklift' | 'pallet' | 'tote' | 'person' | 'box'
/** Tool cases lie in two rooms, trailers pass a gate. */
export type AssetKind = WalkingKind | 'tool' | 'trailer'
export type PlannedAsset = {
  key: string
  name: string
  kind: AssetKind
  type: 'asset' | 'person' | 'inventory'
  tags: PlannedTag[]
  metadata: Record<string, unknown>
}

const FORKLIFTS = 24
const PALLETS = 150
const TOTES = 170
const PEOPLE = 36
const BOXES = 120
/** The other boxes carry a barcode only. */
const BOXES_WITH_RFID = 84
const TOOLS = 8
const TRAILERS = 6

/** 514 assets. Tag values are unique over all of them. */
export function plannedAssets(): PlannedAsset[] {
  return [
    ...numbered(FORKLIFTS, forklift),
    ...numbered(PALLETS, pallet),
    ...numbered(TOTES, tote),
    ...numbered(PEOPLE, person),
    ...numbered(BOXES, box),
    ...numbered(TOOLS, tool),
    ...numbered(TRAILERS, trailer),
  ]
}

const numbered = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index + 1))

const pad = (n: number, width: number) => String(n).padStart(width, '0')

function forklift(n: number): PlannedAsset {
  const tags = [epc(1, n), beacon(1, n)]
  const metadata = { fleet_number: n, capacity_kg: n % 3 === 0 ? 2500 : 1600 }
  return {
    key: `FORKLIFT-${pad(n, 2)}`,
    name: `Forklift ${n}`,
    kind: 'forklift',
    type: 'asset',
    tags,
    metadata,
  }
}

function pallet(n: number): PlannedAsset {
  const metadata = { pallet_type: n % 4 === 0 ? 'EUR6' : 'EUR1' }
  const name = `Pallet ${pad(n, 3)}`
  return { key: `PALLET-${pad(n, 3)}`, name, kind: 'pallet', type: 'asset', tags: [epc(2, n)], metadata }
}

function tote(n: number): PlannedAsset {
  const metadata = { colour: ['blue', 'grey', 'red'][n % 3] }
  const name = `Tote ${pad(n, 3)}`
  return { key: `TOTE-${pad(n, 3)}`, name, kind: 'tote', type: 'asset', tags: [epc(3, n)], metadata }
}

const GIVEN = ['Amara', 'Bruno', 'Chloe', 'Dilan', 'Elena', 'Farid']
const FAMILY = ['Okafor', 'Silva', 'Martin', 'Yilmaz', 'Petrova', 'Haddad']

function person(n: number): PlannedAsset {
  const name = `${GIVEN[(n - 1) % GIVEN.length]} ${FAMILY[Math.floor((n - 1) / GIVEN.length) % FAMILY.length]}`
  const metadata = { shift: n % 2 === 0 ? 'early' : 'late' }
  return { key: `PERSON-${pad(n, 2)}`, name, kind: 'person', type: 'person', tags: [beacon(2, n)], metadata }
}

function box(n: number): PlannedAsset {
  const barcode: PlannedTag = { type: 'barcode', value: `Box-${pad(n, 6)}` }
  const tags = n <= BOXES_WITH_RFID ? [barcode, epc(4, n)] : [barcode]
  const metadata = { sku: `SKU-${pad(1000 + (n % 40), 4)}`, quantity: 6 + (n % 5) * 6 }
  const name = `Box ${pad(n, 3)}`
  return { key: `BOX-${pad(n, 3)}`, name, kind: 'box', type: 'inventory', tags, metadata }
}

function tool(n: number): PlannedAsset {
  const metadata = { owner: n % 2 === 0 ? 'maintenance' : 'dispatch' }
  return {
    key: `TOOL-${n}`,
    name: `Tool case ${n}`,
    kind: 'tool',
    type: 'asset',
    tags: [beacon(3, n)],
    metadata,
  }
}

function trailer(n: number): PlannedAsset {
  const metadata = { axles: n % 2 === 0 ? 3 : 2 }
  return {
    key: `TRAILER-${n}`,
    name: `Trailer ${n}`,
    kind: 'trailer',
    type: 'asset',
    tags: [epc(5, n)],
    metadata,
  }
}

/** 96 bits in 24 hex digits. Every tenth is in lower case, because users paste both. */
function epc(family: number, n: number): PlannedTag {
  const value = `E28011606000020${family}${(0x1a2b0000 + n).toString(16).toUpperCase()}`
  return { type: 'rfid', value: n % 10 === 0 ? value.toLowerCase() : value }
}

/** A Bluetooth address in the spellings that users enter. */
function beacon(family: number, n: number): PlannedTag {
  const octets = ['D2', 'F3', '04', pad(family, 2), '15', n.toString(16).toUpperCase().padStart(2, '0')]
  const spellings = [octets.join(':'), octets.join('').toLowerCase(), octets.join('-'), octets.join('')]
  return { type: 'ble', value: spellings[n % spellings.length] ?? octets.join('') }
}
