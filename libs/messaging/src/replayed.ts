/** Below `scans.`, where a reader may publish only on the number of its organization: this says that a service wrote it. */
const MARK = 'replayed'
const HEADER = 'first_received_at'

/**
 * How a message is published once more: it counts as received when it first was, because times of reads and what a webhook
 * is told depend on that. Readers could forge the header, so theirs are marked by a subject they may not publish on.
 */
export function asReplayed(subject: string, receivedAt: number) {
  const marked = subject.startsWith('scans.') ? `scans.${MARK}.${subject.slice('scans.'.length)}` : subject
  return { subject: marked, headers: { [HEADER]: new Date(receivedAt).toISOString() } }
}

type Reception = { subject: string; receivedAt: number }

/** The subject and time under which a stored message counts; `headers` is asked for only where they may be believed. */
export function firstReception(
  stored: Reception,
  headers: () => Readonly<Record<string, string>>,
): Reception {
  const isScan = stored.subject.startsWith('scans.')
  if (isScan && !stored.subject.startsWith(`scans.${MARK}.`)) return stored
  const subject = isScan ? `scans.${stored.subject.slice(`scans.${MARK}.`.length)}` : stored.subject
  const receivedAt = Date.parse(headers()[HEADER] ?? '')
  return { subject, receivedAt: Number.isNaN(receivedAt) ? stored.receivedAt : receivedAt }
}
