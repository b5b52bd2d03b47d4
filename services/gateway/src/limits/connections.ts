import { addressBlock } from '@whereabouts/service-kit/limits/address-block'
import { countedLog } from '@whereabouts/service-kit/observe/counted-log'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Server } from 'node:http'
import { BlockList, isIPv6, type Socket } from 'node:net'

type Options = {
  /** Open connections of one address block. */
  most: number
  /** Addresses and CIDR ranges of proxies, whose connections carry the requests of many clients. */
  trustedProxies: readonly string[]
  log: Logger
}

/**
 * Requests on one connection that wait for their answers. Hardly any client sends the next one before an answer, and a
 * connection full of them would be read in one turn of the event loop, before all others.
 */
const MOST_UNANSWERED = 8

/**
 * Closes connections of an address that has too many open, before anything is read. Each costs a socket and memory, also one
 * that sends nothing for as long as a head may take. Closes connections with too many requests without an answer too.
 */
export function limitConnections(server: Server, { most, trustedProxies, log }: Options): void {
  const proxies = blockListOf(trustedProxies)
  const open = new Map<string, number>()
  const refusals = countedLog((fields) => log.warn(fields, 'connection refused: the address has too many'))
  server.on('close', () => refusals.close())
  const unanswered = new WeakMap<Socket, number>()
  server.on('request', ({ socket }, response) => {
    const count = (unanswered.get(socket) ?? 0) + 1
    unanswered.set(socket, count)
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
    if (count > MOST_UNANSWERED) socket.destroy()
  })
  server.on('connection', (socket) => {
    const { remoteAddress = '' } = socket
    if (proxies.check(remoteAddress, isIPv6(remoteAddress) ? 'ipv6' : 'ipv4')) return
    const address = addressBlock(remoteAddress)
    const count = open.get(address) ?? 0
    if (count >= most) {
      refusals.count(address, { address })
      socket.destroy()
      return
    }
    open.set(address, count + 1)
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1
      if (left > 0) open.set(address, left)
      else open.delete(address)
    })
  })
}

/** `ranges` are checked by the configuration. An IPv4 range also matches IPv4-mapped IPv6 addresses. */
function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const type = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, type)
    else list.addSubnet(address, Number(bits), type)
  }
  return list
}
