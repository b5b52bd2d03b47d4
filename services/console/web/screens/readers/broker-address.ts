export type ReaderPlace = { orgId: number; readerKey: string; format: string }

export const natsSubject = ({ orgId, readerKey, format }: ReaderPlace) =>
  `scans.${orgId}.${readerKey}.${format}`

export const mqttTopic = ({ orgId, readerKey, format }: ReaderPlace) =>
  `scans/${orgId}/${readerKey}/${format}`
