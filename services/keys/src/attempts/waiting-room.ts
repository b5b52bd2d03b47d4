export type WaitingRoom = {
  /**
   * Resolves true after `delayMs`. False, sooner, for one that had to make room: when an account, or all together, has
   * as many waiting as there may be, a newcomer takes the place of one of them, chosen at random. So nobody can fill the
   * room for good, and who comes often enough gets through.
   */
  wait(account: string, delayMs: number): Promise<boolean>
}

type Waiting = { account: string; end(isThrough: boolean): void }

/** A place costs a timer and a promise: no slot for hashing and no connection. */
export function createWaitingRoom({
  perAccount = 10,
  inAll = 1_000,
  random = Math.random,
}: { perAccount?: number; inAll?: number; random?: () => number } = {}): WaitingRoom {
  const waiting = new Set<Waiting>()

  function makeRoom(account: string): void {
    const all = [...waiting]
    const same = all.filter((one) => one.account === account)
    const crowd = same.length >= perAccount ? same : all.length >= inAll ? all : []
    crowd[Math.floor(random() * crowd.length)]?.end(false)
  }

  return {
    async wait(account, delayMs) {
      makeRoom(account)
      return new Promise((resolve) => {
        const timer = setTimeout(() => place.end(true), delayMs)
        const place: Waiting = {
          account,
          end(isThrough) {
            clearTimeout(timer)
            waiting.delete(place)
            resolve(isThrough)
          },
        }
        waiting.add(place)
      })
    },
  }
}
