import { writeFileSync } from 'node:fs'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { findDeadLetter } from '@whereabouts/messaging/dead-letters/dead-letters'
import type { ShowRequest } from './arguments.ts'
import type { Out } from './list.ts'
import { table, visible, visibleJson } from './visible.ts'

/** Printed bytes of a payload that is not JSON. */
const SHOWN_BYTES = 4096

export async function showLetter(
  broker: Broker,
  { seq, rawFile, json }: ShowRequest,
  out: Out,
): Promise<boolean> {
  const letter = await findDeadLetter(broker, seq)
  if (!letter) {
    out.tell(`dead letter ${seq} does not exist`)
    return false
  }
  const { payload, headers, ...facts } = letter
  const about = { ...facts, size: payload.length, headers: { ...headers } }
  if (json) out.print(visibleJson({ ...about, payload_base64: base64(payload), payload: parsed(payload) }, 2))
  else out.print(`${factsOf(about)}\n\n${payloadText(payload)}`)
  if (rawFile !== undefined) writeRaw(rawFile, payload, out)
  return true
}

/** Never overwrites a file. Only its owner may read it, because it is customer data. */
function writeRaw(file: string, payload: Uint8Array, out: Out): void {
  writeFileSync(file, payload, { flag: 'wx', mode: 0o600 })
  out.tell(`${payload.length} bytes written to ${file}`)
}

const base64 = (payload: Uint8Array) => Buffer.from(payload).toString('base64')

function factsOf({
  headers,
  ...facts
}: { headers: Record<string, string> } & Record<string, unknown>): string {
  const rows = [
    ...Object.entries(facts).map(([name, value]) => [name, String(value)]),
    ...Object.entries(headers).map(([name, value]) => [`header ${name}`, value]),
  ]
  return table(rows.map((row) => row.map((cell) => visible(cell))))
}

/** Indented JSON, or the first bytes in hexadecimal and ASCII, sixteen a line. */
export function payloadText(payload: Uint8Array): string {
  if (payload.length === 0) return '(no payload)'
  const value = parsed(payload)
  if (value !== undefined) return visibleJson(value, 2)
  const lines: string[] = []
  for (let at = 0; at < Math.min(payload.length, SHOWN_BYTES); at += 16)
    lines.push(dumpLine(at, payload.subarray(at, at + 16)))
  const more = payload.length - SHOWN_BYTES
  return [...lines, ...(more > 0 ? [`(${more} bytes more: --raw FILE)`] : [])].join('\n')
}

function dumpLine(at: number, bytes: Uint8Array): string {
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
  const ascii = [...bytes].map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'))
  return `${at.toString(16).padStart(6, '0')}  ${hex.padEnd(47)}  ${ascii.join('')}`
}

/** Undefined unless it is JSON in UTF-8 and not nested too deeply to print. */
function parsed(payload: Uint8Array): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload))
    JSON.stringify(value)
    return value
  } catch {
    return undefined
  }
}
