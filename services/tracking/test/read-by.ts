import { NOT_READ } from '../src/positions/cause.ts'

/** The cause of a row that this reader read, without what decided its location. */
export const readBy = (readerKey: string, antenna = 1) => ({
  ...NOT_READ,
  readerKey,
  antenna,
  rssi: null,
  isJudged: true,
})
