/** How much an organization may send. */
export type OrgRate = {
  /** Messages a second, of all its keys together. */
  perSecond: number
  /** Bytes a second, of all its keys together. More keys do not mean more bytes; a rate that an operator set does. */
  bytesPerSecond: number
  /** Live keys that may send scans; 0 if none is known. */
  keys: number
}
