import { generate } from 'selfsigned'

export type Certificate = { key: string; cert: string }

type Options = {
  /** Valid names and addresses; by default those of this machine. */
  names?: readonly string[]
  /** The certificate that signs; self-signed if left out. */
  issuer?: Certificate
  expired?: boolean
}

const DAY_MS = 24 * 60 * 60_000

/** A certificate for a server in a test. A certificate without an issuer may sign others. */
export async function makeCertificate({ names = ['localhost', '127.0.0.1'], issuer, expired }: Options = {}) {
  const extensions = [
    { name: 'basicConstraints', cA: issuer === undefined },
    { name: 'subjectAltName', altNames: names.map(altName) },
  ]
  const made = await generate([{ name: 'commonName', value: names[0] ?? 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: extensions as never,
    notBeforeDate: new Date(Date.now() - 2 * DAY_MS),
    notAfterDate: new Date(Date.now() + (expired ? -DAY_MS : DAY_MS)),
    ...(issuer && { ca: { key: issuer.key, cert: issuer.cert } }),
  })
  return { key: made.private, cert: made.cert } satisfies Certificate
}

const altName = (name: string) =>
  /^[0-9.]+$|:/.test(name) ? { type: 7, ip: name } : { type: 2, value: name }
