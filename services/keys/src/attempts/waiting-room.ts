import { addressBlock } from '@whereabouts/service-kit/limits/address-block'

export type WaitingRoom = {
  /**
   * Resolves true after `delayMs`, or false at once if an attempt from the same address block waits for the account. If
   * an account is full, a new attempt displaces a random one of it, and if the whole room is full, one of the account
   * with most: that resolves false. So no attacker can block the room, and an owner who retries gets through.
   */
  wait(account: string, clientAddress: string, delayMs: number): Promise<boolean>
}

type Place = { end(isThrough: boolean): void }

/** A waiting attempt costs a timer and a promise, but no hash and no connection. */
export function createWaitingRoom({
  perAccount = 100,
  inAll = 1_000,
  random = Math.random,
}: { perAccount?: number; inAll?: number; random?: () => number } = {}): WaitingRoom {
  /** By address block, of each account. */
  const waiting = new Map<string, Map<string, Place>>()

  function makeRoom(account: string): void {
    const [own, all] = [waiting.get(account), [...waiting.values()]]
    const isFull = all.reduce((sum, { size }) => sum + size, 0) >= inAll
    const most = isFull ? all.toSorted((a, b) => b.size - a.size)[0] : undefined
    const crowd = [...((own && own.size >= perAccount ? own : most)?.values() ?? [])]
    crowd[Math.floor(random() * crowd.length)]?.end(false)
  }

  return {
    async wait(account, clientAddress, delayMs) {
      const address = addressBlock(clientAddress)
      if (waiting.get(account)?.has(address)) return false
      makeRoom(account)
      const places = waiting.get(account) ?? new Map<string, Place>()
      waiting.set(account, places)
      return new Promise((resolve) => {
        const timer = setTimeout(() => place.end(true), delayMs)
        const place: Place = {
          end(isThrough) {
            clearTimeout(timer)
            places.delete(address)
            if (places.size === 0) waiting.delete(account)
            resolve(isThrough)
          },
        }
        places.set(address, place)
      })
    },
  }
}
