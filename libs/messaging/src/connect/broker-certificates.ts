import { z } from 'zod'
import { askServers } from './ask-servers.ts'
import type { Broker } from './connection.ts'

/** The certificate that a broker serves, which may be older than the one on its disk. */
export type ServedCertificate = { server: string; expiresAtMs: number }

const notAfter = z.object({ tls_cert_not_after: z.string().optional() })
const Varz = z.object({
  server: z.object({ name: z.string() }),
  data: notAfter.extend({ mqtt: notAfter.optional(), cluster: notAfter.optional() }),
})
/** Of a listener without a certificate. */
const NONE = Date.parse('0001-01-01T00:00:00Z')

/**
 * For each broker, the certificate in use that expires first: for clients, MQTT readers, or other brokers. Brokers
 * without certificates are left out. `broker` must be logged in as `system`. Throws if no broker answers.
 */
export async function servedCertificates(broker: Broker): Promise<ServedCertificate[]> {
  const found: ServedCertificate[] = []
  for await (const answer of askServers(broker, 'VARZ', {})) {
    const { server, data } = Varz.parse(answer)
    const ends = [data, data.mqtt, data.cluster]
      .flatMap((listener) => listener?.tls_cert_not_after ?? [])
      .map((text) => Date.parse(text))
      .filter((ms) => ms > NONE)
    if (ends.length > 0) found.push({ server: server.name, expiresAtMs: Math.min(...ends) })
  }
  return found
}
