import { READER_KEY } from '../readers.ts'

export type ScanSubject = { orgId: number; readerKey: string; format: string }

/**
 * Reads `scans.<org>.<reader>.<format>[.>]`. Tokens after the format are ignored: some devices append a serial
 * number. Undefined when the subject is not of that form.
 */
export function parseScanSubject(subject: string): ScanSubject | undefined {
  const [head, org, readerKey, format] = subject.split('.', 4)
  if (head !== 'scans' || org === undefined || readerKey === undefined || !format) return undefined
  const orgId = Number(org)
  if (!/^[1-9][0-9]{0,15}$/.test(org) || !Number.isSafeInteger(orgId) || !READER_KEY.test(readerKey))
    return undefined
  return { orgId, readerKey, format }
}
