import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'

const TYPES = { 1: 'A', 5: 'CNAME', 28: 'AAAA' } as const
type RecordType = (typeof TYPES)[keyof typeof TYPES]
export type DnsRecord = { type: RecordType; data: string }

/**
 * The records of a name. An empty list: the name exists without such records. `undefined`: the server does not
 * answer.
 */
export type AnswerDns = (name: string, type: string) => readonly DnsRecord[] | undefined

export type NameServer = {
  /** For `Resolver.setServers`. */
  address: string
  /** All questions, such as `A name`, oldest first. */
  questions: string[]
  close(): void
}

/** A real name server on loopback, over UDP, with answers from the test. Records have a time to live of 0. */
export async function startNameServer(answer: AnswerDns): Promise<NameServer> {
  const socket = createSocket('udp4')
  const questions: string[] = []
  socket.on('message', (query: Buffer, from: RemoteInfo) => {
    const { name, type, end } = readQuestion(query)
    questions.push(`${type} ${name}`)
    const records = answer(name, type)
    if (records) socket.send(reply(query.subarray(0, end), records), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { address: `127.0.0.1:${socket.address().port}`, questions, close: () => socket.close() }
}

const HEADER_BYTES = 12

function readQuestion(query: Buffer): { name: string; type: string; end: number } {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const code = query.readUInt16BE(at + 1)
  return { name: labels.join('.'), type: TYPES[code as keyof typeof TYPES] ?? String(code), end: at + 5 }
}

/** The header and the question of the query, then the records, all of the requested name (0xc00c). */
function reply(question: Buffer, records: readonly DnsRecord[]): Buffer {
  const head = Buffer.from(question)
  head.writeUInt16BE(0x8180, 2) // an answer, recursion available, no error
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(records.length, 6)
  head.writeUInt32BE(0, 8)
  return Buffer.concat([head, ...records.map(record)])
}

function record({ type, data }: DnsRecord): Buffer {
  const bytes = dataOf(type, data)
  const head = Buffer.alloc(HEADER_BYTES)
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(type === 'A' ? 1 : type === 'AAAA' ? 28 : 5, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(bytes.length, 10)
  return Buffer.concat([head, bytes])
}

function dataOf(type: RecordType, data: string): Buffer {
  if (type === 'A') return Buffer.from(data.split('.').map(Number))
  if (type === 'AAAA') return ipv6Bytes(data)
  const labels = data
    .split('.')
    .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  return Buffer.concat([...labels, Buffer.from([0])])
}

/** For addresses with at most one `::` and without dots. */
function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = address.split('::')
  const groups = (text = '') =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
  const [front, back] = [groups(head), groups(tail)]
  const zeros = Array<number>(8 - front.length - back.length).fill(0)
  const bytes = Buffer.alloc(16)
  for (const [i, group] of [...front, ...zeros, ...back].entries()) bytes.writeUInt16BE(group, 2 * i)
  return bytes
}
