export type Role = 'admin' | 'member'

/** What each role may do, in a sentence. */
export const ROLES: readonly { value: Role; name: string; meaning: string }[] = [
  {
    value: 'admin',
    name: 'Administrator',
    meaning: 'Administrators do what members do, and manage readers, API keys, the webhook and members.',
  },
  {
    value: 'member',
    name: 'Member',
    meaning: 'Members see everything, and manage assets, locations, inventory and imports.',
  },
]

const roleOf = (role: string) => ROLES.find(({ value }) => value === role) ?? ROLES[1]

export const roleName = (role: string): string => roleOf(role)?.name ?? role
export const roleMeaning = (role: string): string => roleOf(role)?.meaning ?? ''
