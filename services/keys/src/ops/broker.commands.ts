import type { ReloadedServer } from '@whereabouts/messaging/connect/ask-servers'
import { OpsError } from './failures.ts'
import { printable, table, type Report } from './report.ts'

/** What each broker answered. Throws if one keeps its old configuration. */
export function reportReload(servers: readonly ReloadedServer[]): Report {
  const refused = servers.filter(({ problem }) => problem !== undefined)
  if (refused.length > 0) {
    const reasons = refused
      .map(({ name, problem }) => `${printable(name)}: ${printable(problem ?? '')}`)
      .join('; ')
    throw new OpsError('conflict', `These brokers keep the configuration that they had. ${reasons}`)
  }
  return {
    json: { data: servers.map(({ name }) => ({ name })) },
    text: table([['BROKER', 'CONFIGURATION'], ...servers.map(({ name }) => [name, 'read again'])]),
  }
}
