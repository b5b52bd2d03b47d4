import type { FastifyInstance } from 'fastify'

/** RFC 9116 recommends less than a year. */
const VALID_MS = 360 * 86_400_000

/** Serves the address for reports of vulnerabilities (RFC 9116), without a token. Absent until an operator names a contact. */
export function addSecurityTxt(app: FastifyInstance, contact: string | undefined, publicUrl: string): void {
  if (contact === undefined) return
  const path = '/.well-known/security.txt'
  app.get(path, { config: { servesAll: true } }, async (_request, reply) => {
    // At each request, so that a gateway that runs for long serves nothing that has expired.
    const expires = new Date(Date.now() + VALID_MS).toISOString()
    const lines = [
      `Contact: ${contact}`,
      `Expires: ${expires}`,
      `Policy: ${publicUrl}/docs/security`,
      `Canonical: ${publicUrl}${path}`,
    ]
    return reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', 'public, max-age=300')
      .send(`${lines.join('\n')}\n`)
  })
}
