type Holder = 'organization' | 'user' | 'key' | 'address'
type Limit = Readonly<Partial<Record<Holder, number>>> & {
  /** The rows of docs/limits.md that state it. */
  rows: readonly string[]
}

/**
 * What one organization, user, API key or client address may have, do or see at a time. Limits of fields are in the
 * schemas of the fields.
 */
export const limits = {
  /**
   * On average. Operators can set another one for a key (D9.9). That of an organization is of all its keys without one, in
   * each gateway.
   */
  requestsPerMinute: {
    key: 60,
    user: 600,
    organization: 3_000,
    rows: ['requests of an API key', 'requests of a user', 'requests of all API keys'],
  },
  /** Uploaded, waiting or running. That of a user is lower, so that colleagues can import too. */
  unfinishedImports: { organization: 5, user: 3, rows: ['unfinished imports'] },
  /** Waiting or running, of `POST /exports`. */
  unfinishedExports: { organization: 6, rows: ['unfinished exports'] },
  runningExports: { organization: 4, user: 2, rows: ['running exports'] },
  /** In each process of tracking (ADR 41). */
  liveStreams: { organization: 25, user: 10, address: 40, rows: ['live feed'] },
  /** In each process of webhook-dispatcher: open streams, and requests while they wait for an event. */
  eventStreams: { organization: 25, rows: ['streams of events'] },
  /** Besides the webhook of `/webhooks` (D13.9). */
  webhookEndpoints: { organization: 10, rows: ['further webhooks'] },
  unknownTags: { organization: 1_000, rows: ['listed unknown tags'] },
  newReaders: { organization: 1_000, rows: ['listed readers without a setup'] },
  /** Refresh tokens that are in use, of a user in one organization. One more ends the one that was used least recently. */
  tokenChains: { key: 10, user: 50, rows: ['refresh tokens in use'] },
  /** Neither used nor expired (D16.1). */
  provisioningLinks: { organization: 100, rows: ['open provisioning links'] },
  readerConnections: { organization: 2_000, key: 200, rows: ['connections'] },
} as const satisfies Record<string, Limit>
