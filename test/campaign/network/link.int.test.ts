import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startLink, type Link } from './link.ts'

let link: Link
let port: number
let closeServer: () => Promise<void>
const clients: Socket[] = []

let accepted: Set<Socket>

/** Behind the link is a server that sends back what it gets. */
beforeEach(async () => {
  accepted = new Set()
  const server = createServer((socket) => {
    accepted.add(socket)
    socket.on('error', () => socket.destroy()).pipe(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closeServer = async () => {
    for (const socket of accepted) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  port = (server.address() as AddressInfo).port
  link = await startLink({ host: '127.0.0.1', port })
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await link.close()
  await closeServer()
})

function begin() {
  const client = connect(link.port, '127.0.0.1')
  clients.push(client)
  const seen = { text: '', error: '' }
  client.on('data', (piece) => (seen.text += piece.toString()))
  client.on('error', (error: NodeJS.ErrnoException) => (seen.error = error.code ?? error.message))
  return { client, seen, says: () => seen.text, fails: () => seen.error }
}

async function open() {
  const begun = begin()
  await once(begun.client, 'connect')
  return begun
}

test('passes data on in both directions, and the end of the connection', async () => {
  const { client, says } = await open()
  client.write('hello')
  await expect.poll(says).toBe('hello')
  client.end()
  await once(client, 'close')
})

test('cut resets connections and refuses new ones until it heals', async () => {
  const { fails } = await open()
  link.cut()
  await expect.poll(fails).toBe('ECONNRESET')
  await expect.poll(begin().fails).toBe('ECONNRESET')
  link.heal()
  const { client, says } = await open()
  client.write('again')
  await expect.poll(says).toBe('again')
})

test('silence holds data back without closing, and passes it on afterwards in order', async () => {
  const { client, seen, says } = await open()
  link.silence()
  client.write('one ')
  client.write('two')
  const late = await open()
  late.client.write('three')
  const direct = connect(port, '127.0.0.1')
  clients.push(direct)
  direct.write('the server itself answers')
  await once(direct, 'data')
  const nothing = { text: '', error: '' }
  expect([seen, late.seen]).toEqual([nothing, nothing])
  link.heal()
  await expect.poll(says).toBe('one two')
  await expect.poll(late.says).toBe('three')
})

test('loseNear takes the near side away and leaves the far side open', async () => {
  const { client, says } = await open()
  client.write('first')
  await expect.poll(says).toBe('first')
  link.loseNear()
  await once(client, 'close')
  const next = await open()
  next.client.write('second')
  await expect.poll(next.says).toBe('second')
  expect([...accepted].map(({ readyState }) => readyState)).toEqual(['open', 'open'])
})

test('loseFar takes the far side away and leaves the near side open, without an answer', async () => {
  const { client, seen } = await open()
  await expect.poll(() => accepted.size).toBe(1)
  link.loseFar()
  await expect.poll(() => [...accepted].every(({ destroyed }) => destroyed)).toBe(true)
  client.write('lost')
  const next = await open()
  next.client.write('second')
  await expect.poll(next.says).toBe('second')
  expect([seen, client.readyState]).toEqual([{ text: '', error: '' }, 'open'])
})

test('slow and throttle delay data, and lose none', async () => {
  const { client, says } = await open()
  link.slow(60)
  const begun = performance.now()
  client.write('slow')
  await expect.poll(says).toBe('slow')
  expect(performance.now() - begun).toBeGreaterThan(115) // there and back
  link.throttle(1_000_000)
  const much = 'x'.repeat(100_000)
  client.write(much)
  await expect.poll(says).toBe(`slow${much}`)
})
