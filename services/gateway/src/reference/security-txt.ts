import type { FastifyInstance } from 'fastify'

const PATH = '/.well-known/security.txt'
/** RFC 9116 recommends less than a year. */
const VALID_MS = 360 * 86_400_000

/** Serves the address for reports of vulnerabilities (RFC 9116), without a token. Absent until an operator names a contact. */
export function addSecurityTxt(app: FastifyInstance, contact: string | undefined, publicUrl: string): void {
  if (contact === undefined) return
  app.get(PATH, { config: { servesAll: true } }, async (_request, reply) => {
    // At each request, so that a gateway that runs for long serves nothing that has expired.
    const expires = new Date(Date.now() + VALID_MS).toISOString()
    const links = `Policy: ${publicUrl}/docs/security\nCanonical: ${publicUrl}${PATH}\n`
    return reply.type('text/plain; charset=utf-8').send(`Contact: ${contact}\nExpires: ${expires}\n${links}`)
  })
}
