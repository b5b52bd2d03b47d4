import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** The name by which the services reach the broker. */
const OWN_NAMES = ['nats', 'localhost']

const FILES = ['tls.crt', 'tls.key', 'ca.crt'] as const

const ADVICE =
  'Install openssl and run this again, or put tls.crt, tls.key and ca.crt of your own there (docs/operating.md).'

/**
 * Writes a certificate of the broker for these names, signed by itself, unless the folder has one. Returns a message for the
 * user. Throws if openssl is missing, or one of the files.
 */
export function writeCertificate(folder: string, hosts: readonly string[]): string {
  const missing = FILES.filter((name) => !existsSync(join(folder, name)))
  if (missing.length === 0) return `${folder} has a certificate\n`
  if (missing.length < FILES.length) throw new Error(`${folder} lacks ${missing.join(' and ')}`)
  mkdirSync(folder, { recursive: true })
  const names = [...OWN_NAMES.map((name) => `DNS:${name}`), 'IP:127.0.0.1', ...hosts.map(alternative)]
  const file = (name: (typeof FILES)[number]) => join(folder, name)
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const subject = ['-subj', '/CN=Whereabouts broker', '-addext', `subjectAltName=${names.join(',')}`]
  const args = [...made, ...subject, '-days', '3650', '-keyout', file('tls.key'), '-out', file('tls.crt')]
  const { status, stderr, error } = spawnSync('openssl', args, { encoding: 'utf8' })
  if (error || status !== 0)
    throw new Error(`no certificate in ${folder}: ${error?.message ?? stderr}. ${ADVICE}`)
  chmodSync(file('tls.key'), 0o600)
  copyFileSync(file('tls.crt'), file('ca.crt')) // it is its own CA
  return `wrote ${folder}: a certificate for ${names.join(', ')}, signed by itself. Readers need its ca.crt\n`
}

const alternative = (host: string) => `${/^[\d.]+$|:/.test(host) ? 'IP' : 'DNS'}:${host}`
