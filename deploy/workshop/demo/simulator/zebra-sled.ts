import type { Device, Sighting } from './device.ts'

type SledOptions = { serial: string }

/** A Zebra RFD40 sled: tags and barcodes in one report, its serial number appended to the topic. */
export function createZebraSled({ serial }: SledOptions): Device {
  let events = 0
  let tagCount = 0
  const tagRecord = ({ tag, rssiDbm, readCount, seenAt }: Sighting) => ({
    EPCid: tag.value,
    eventNum: (events += 1),
    format: 'EPC',
    peakRssi: Math.round(rssiDbm),
    seenCount: readCount,
    firstSeenTime: seenAt.getTime() - 120,
    lastSeenTime: seenAt.getTime(),
  })
  const heartbeat = (at: Date) =>
    JSON.stringify({
      eventName: 'heartbeat',
      timestamp: wholeSecond(at),
      eventNumber: (events += 1),
      data: {
        inventoryStatus: { rfidStatus: 'INPROGRESS', tagCount, scanCount: events },
        batteryAlert: { status: 'HIGH', stateOfHealth: 'FULL', chargePercentage: charge(at) },
      },
    })
  return {
    topicSuffix: serial,
    reads(sightings) {
      tagCount += sightings.length
      const tagData = sightings.filter(({ tag }) => tag.type !== 'barcode').map(tagRecord)
      const barcodeData = sightings.filter(({ tag }) => tag.type === 'barcode').map(barcodeRecord)
      return sightings.slice(-1).map(({ seenAt }) => report(seenAt, { tagData, barcodeData }))
    },
    greeting: (at) => [connected(at, serial), heartbeat(at)],
    heartbeat: (at) => [heartbeat(at)],
    broken: (at) => report(at, { tagData: [{ eventNum: (events += 1), format: 'EPC' }] }),
  }
}

const wholeSecond = (at: Date) => at.toISOString().replace(/\.\d+Z$/, 'Z')

const report = (at: Date, data: object) =>
  JSON.stringify({ type: 'BALANCED_PERFORMANCE', timestamp: wholeSecond(at), data })

const barcodeRecord = ({ tag }: Sighting) => ({ symbology: 'CODE_128', decodedBarcode: tag.value })

const connected = (at: Date, deviceSerialNo: string) =>
  JSON.stringify({
    connectionState: 'CONNECTED',
    timestamp: wholeSecond(at),
    deviceModel: 'RFD4031',
    deviceSerialNo,
    apiVersion: 'V1.1',
    mqttVersion: '3.1.1',
  })

/** Falls from 99 to 40 within an hour, then starts again. */
const charge = (at: Date) => 99 - at.getUTCMinutes()
