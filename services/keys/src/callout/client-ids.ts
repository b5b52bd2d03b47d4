import type { Db } from '../db.ts'
import { claimClientId, isOrganization } from './reader-logins.queries.ts'

const LONGEST = 256
/** An id that begins with the number of an organization is that organization's, whether it was used before or not. */
const OWNED = /^(\d{1,16})[-:_./]/

/**
 * Why a reader may not use an MQTT client id; undefined when it may. The broker knows MQTT readers by their client id
 * alone: a second one with the same id ends the connection of the first and takes over its session. So an id belongs to the
 * organization that uses it (ADR 48). Three kinds of ids are safe from being used by others first: one that begins with
 * the organization's number (`42-dock-7`), one that begins with the key's own id, and one that the broker made up.
 */
export async function clientIdRefusal(
  db: Db,
  { orgId, jti, clientId }: { orgId: number; jti: string; clientId: string },
): Promise<string | undefined> {
  if (clientId === '' || clientId.startsWith(jti)) return undefined
  if (Buffer.byteLength(clientId) > LONGEST) return `the MQTT client id is longer than ${LONGEST} bytes`
  const owner = Number(OWNED.exec(clientId)?.[1])
  if (owner === orgId) return undefined
  const isFree = Number.isNaN(owner) || !(await isOrganization(db, owner))
  if (isFree && (await claimClientId(db, orgId, clientId))) return undefined
  return 'the MQTT client id is used by another organization: begin it with the number of yours'
}
