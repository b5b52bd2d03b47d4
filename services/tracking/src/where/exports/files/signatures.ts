import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * The signature of the link to a file: an HMAC with a random key that belongs to the export and is deleted with it. So a link
 * is good as long as its file, at every replica, and no key of the installation has to be kept or changed.
 */
export const signatureOf = (linkKey: Buffer, name: string): string =>
  createHmac('sha256', linkKey).update(name).digest('base64url')

/** Takes the same time for every wrong signature. */
export function isSigned(linkKey: Buffer, name: string, signature: string): boolean {
  const [wanted, sent] = [Buffer.from(signatureOf(linkKey, name)), Buffer.from(signature)]
  return wanted.length === sent.length && timingSafeEqual(wanted, sent)
}
