/** Below `scans.`, where a reader may publish only on the number of its organization: this says that a service wrote it. */
const MARKED = 'scans.replayed.'
const HEADER = 'first_received_at'

/**
 * How a message is published once more: it counts as received when it first was, because times of reads and what a webhook
 * is told depend on that. Readers could forge the header, so theirs are marked by a subject they may not publish on.
 */
export function asReplayed(subject: string, receivedAt: number) {
  return {
    subject: isReaders(subject) ? subject.replace('scans.', MARKED) : subject,
    headers: { [HEADER]: new Date(receivedAt).toISOString() },
  }
}

/** One that a reader may have published on; a marked one stays as it is. */
const isReaders = (subject: string) => subject.startsWith('scans.') && !subject.startsWith(MARKED)

type Reception = { subject: string; receivedAt: number }

/** The subject and time under which a stored message counts; `headers` is asked for only where they may be believed. */
export function firstReception(
  stored: Reception,
  headers: () => Readonly<Record<string, string>>,
): Reception {
  if (isReaders(stored.subject)) return stored
  const subject = stored.subject.startsWith(MARKED)
    ? stored.subject.replace(MARKED, 'scans.')
    : stored.subject
  const receivedAt = Date.parse(headers()[HEADER] ?? '')
  return { subject, receivedAt: Number.isNaN(receivedAt) ? stored.receivedAt : receivedAt }
}
