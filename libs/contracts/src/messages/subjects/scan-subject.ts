import { READER_KEY } from '../../resources/tracking/readers.ts'

export type ScanSubject = { orgId: number; readerKey: string; format: string }

/** The subject to which a reader publishes. */
export const scanSubject = ({ orgId, readerKey, format }: ScanSubject): string =>
  `scans.${orgId}.${readerKey}.${format}`

/**
 * Reads `scans.<org>.<reader>.<format>[.>]`; undefined for any other subject. Tokens after the format are ignored,
 * because some devices append a serial number.
 */
export function parseScanSubject(subject: string): ScanSubject | undefined {
  const named = parseReaderSubject(subject)
  const format = subject.split('.', 4)[3]
  return named && format ? { ...named, format } : undefined
}

/** The reader in a subject, with or without a format. */
export function parseReaderSubject(subject: string): Omit<ScanSubject, 'format'> | undefined {
  const [head, org, readerKey] = subject.split('.', 3)
  if (head !== 'scans' || org === undefined || readerKey === undefined) return undefined
  const orgId = Number(org)
  if (!/^[1-9][0-9]{0,15}$/.test(org) || !Number.isSafeInteger(orgId) || !READER_KEY.test(readerKey))
    return undefined
  return { orgId, readerKey }
}
