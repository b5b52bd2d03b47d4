import type { Allowance } from '@whereabouts/contracts/messages/reader-rates'

/** How much an organization may send, and its live keys that may send scans; 0 if none is known. */
export type OrgRate = Allowance & { keys: number }

/** `reads`: it sends more reads than it may. Otherwise more messages or bytes. */
export type OverRate = OrgRate & { limit: 'reads' | 'messages' }
