import { wordsFor, type Role } from './known.ts'

export type { Role }
type Words = { name: string; meaning: string }

/** What each role may do, in a sentence. */
const WORDS: Readonly<Record<Role, Words>> = {
  admin: {
    name: 'Administrator',
    meaning: 'Administrators do what members do, and manage readers, API keys, the webhook and members.',
  },
  member: {
    name: 'Member',
    meaning: 'Members see everything, and manage assets, locations, inventory and imports.',
  },
  viewer: {
    name: 'Viewer',
    meaning: 'Viewers see what members see, but not the email addresses of others, and change nothing.',
  },
}

export const ROLES: readonly ({ value: Role } & Words)[] = (Object.keys(WORDS) as Role[]).map((value) =>
  Object.assign({ value }, WORDS[value]),
)

const roleOf = (role: string): Words => wordsFor(WORDS, role) ?? WORDS.viewer

/** The role of a choice among `ROLES`; the least one for any other text. */
export const roleFrom = (text: string | null): Role =>
  ROLES.find(({ value }) => value === text)?.value ?? 'viewer'

export const roleName = (role: string): string => roleOf(role).name
export const roleMeaning = (role: string): string => roleOf(role).meaning
