export type Role = 'admin' | 'member'

/** What each role may do, in words. */
export const ROLES: readonly { value: Role; name: string; meaning: string }[] = [
  {
    value: 'admin',
    name: 'Administrator',
    meaning: 'does what members do, and manages readers, API keys, the webhook and members',
  },
  {
    value: 'member',
    name: 'Member',
    meaning: 'sees everything and manages assets, locations, inventory and imports',
  },
]

const roleOf = (role: string) => ROLES.find(({ value }) => value === role) ?? ROLES[1]

export const roleName = (role: string): string => roleOf(role)?.name ?? role
export const roleMeaning = (role: string): string => roleOf(role)?.meaning ?? ''
