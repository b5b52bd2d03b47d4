/**
 * A service has three roles, which log in with the same password (`deploy/database/roles.sql`). The owner of the
 * schema runs migrations and commands of operators. Requests of one organization run as `tenant`, under row-level
 * security. Work across organizations runs as `worker`. `tenant` and `worker` own nothing and cannot become another
 * role.
 */
export type ServiceRole = 'tenant' | 'worker'

export const roleName = (owner: string, role: ServiceRole): string => `${owner}_${role}`

/** Returns the URL with which the service logs in as `role`. `url` names the owner of the schema. */
export function urlAs(role: ServiceRole, url: string): string {
  const result = new URL(url)
  result.username = roleName(result.username, role)
  return result.href
}
