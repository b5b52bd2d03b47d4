export type ReaderTopic = { orgId: number; readerKey: string; format: string }

export const natsSubject = ({ orgId, readerKey, format }: ReaderTopic) =>
  `scans.${orgId}.${readerKey}.${format}`

export const mqttTopic = ({ orgId, readerKey, format }: ReaderTopic) =>
  `scans/${orgId}/${readerKey}/${format}`

export const httpsAddress = ({ readerKey, format }: ReaderTopic) =>
  `${location.origin}/api/v1/scans/${readerKey}/${format}`
