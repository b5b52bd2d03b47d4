import { matchValue } from '@whereabouts/contracts/resources/catalog/tag-matching'
import type { PlannedAsset, PlannedTag } from '../stock.ts'
import type { PlannedReader } from '../warehouse.ts'
import { pick, type Random } from './random.ts'

/** The reader and antenna that see a tag. */
export type View = { readerKey: string; antenna: number; locationKey?: string; tag: PlannedTag }

type Spot = Omit<View, 'tag'>

/**
 * Decides which reader sees a tag: RFID antennas see EPCs, the sled also barcodes, the gateway all others. Where the
 * gateway has no antenna, a handheld names the location.
 */
export function createVisibility(readers: readonly PlannedReader[], random: Random) {
  const spots = readers.flatMap(({ key, model, antennas }) =>
    antennas.map(({ antenna, locationKey }) => ({ key, model, antenna, locationKey })),
  )
  const gateway = readers.find(({ model }) => model === 'ble-gateway')
  const byAntenna = (tag: PlannedTag, locationKey: string): Spot[] =>
    spots
      .filter((spot) => spot.locationKey === locationKey && CAN_READ[spot.model].includes(tag.type))
      .map(({ key, antenna }) => ({ readerKey: key, antenna }))
  const byHandheld = (tag: PlannedTag, locationKey: string): Spot[] =>
    gateway && tag.type !== 'rfid' ? [{ readerKey: gateway.key, antenna: 1, locationKey }] : []
  return (asset: PlannedAsset, locationKey: string): View | undefined => {
    const tag = pick(random, asset.tags)
    const seen = byAntenna(tag, locationKey)
    const [spot] = seen.length > 0 ? seen : byHandheld(tag, locationKey)
    return spot && { ...spot, tag: { type: tag.type, value: matchValue(tag.type, tag.value) } }
  }
}

const CAN_READ: Record<PlannedReader['model'], readonly PlannedTag['type'][]> = {
  'impinj-r700': ['rfid'],
  'zebra-fixed': ['rfid'],
  'zebra-sled': ['rfid', 'barcode'],
  'ble-gateway': ['ble'],
  'minew-g1': ['ble'],
}
