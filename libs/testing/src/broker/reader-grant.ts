import type { Grant, Login } from '@whereabouts/messaging/readers/callout'

/** The grant of the keys service for a reader of an organization, in its account R0000, R0001, … or over MQTT. */
export function readerGrant({ user, clientType }: Pick<Login, 'user' | 'clientType'>, org: number): Grant {
  const place =
    clientType === 'mqtt'
      ? { account: 'MQTT', subscribe: [], connectionTypes: ['MQTT'] as const }
      : {
          account: `R${String(org % 1_000).padStart(4, '0')}`,
          subscribe: ['_INBOX.>'],
          connectionTypes: ['STANDARD'] as const,
        }
  const expiresAt = Math.floor(Date.now() / 1_000) + 3_600
  return { name: user, publish: [`scans.${org}.>`], expiresAt, ...place }
}
