import type { Db } from '../db.ts'
import { claimClientId, isOrganization } from './reader-logins.queries.ts'

const LONGEST = 256
/** An id that begins with the number of an organization belongs to that organization, used or not. */
const OWNED = /^(\d{1,16})[-:_./]/

/**
 * Why a reader may not use an MQTT client id; undefined if it may. The broker identifies MQTT readers by client id
 * alone: a second reader with the same id ends the connection of the first and takes over its session. So an id
 * belongs to the organization that uses it (ADR 48). Nobody else can claim an id that begins with the organization's
 * number (`42-dock-7`) or with the key's own id, or one that the broker generated.
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
