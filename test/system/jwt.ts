import { createHmac, sign, type KeyObject } from 'node:crypto'

type Part = Record<string, unknown>

/** Header and claims of a token, unverified. */
export function jwtParts(token: string): { header: Part; claims: Part } {
  const [header = {}, claims = {}] = token
    .split('.', 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Part)
  return { header, claims }
}

const encode = (part: Part) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** A token with any content: signed by Ed25519 or by HMAC with the given secret, or unsigned. */
export function forge(header: Part, claims: Part, key: KeyObject | Buffer | undefined): string {
  const body = `${encode(header)}.${encode(claims)}`
  return `${body}.${signature(body, key).toString('base64url')}`
}

function signature(body: string, key: KeyObject | Buffer | undefined): Buffer {
  if (key === undefined) return Buffer.alloc(0)
  return Buffer.isBuffer(key)
    ? createHmac('sha256', key).update(body).digest()
    : sign(null, Buffer.from(body), key)
}
