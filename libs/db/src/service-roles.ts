/**
 * A service has three roles, which log in with one password (`deploy/database/roles.sql`). The owner of the schema
 * migrates and runs what an operator starts. Requests of one organization are served as `tenant`, under row-level
 * security. What works across organizations runs as `worker`. The last two own nothing and can become no other role.
 */
export type ServiceRole = 'tenant' | 'worker'

export const roleName = (owner: string, role: ServiceRole): string => `${owner}_${role}`

/** `url` names the owner of a schema. Returns the address at which the service logs in as one of the other two. */
export function urlAs(role: ServiceRole, url: string): string {
  const result = new URL(url)
  result.username = roleName(result.username, role)
  return result.href
}
