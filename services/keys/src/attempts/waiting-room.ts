export type WaitingRoom = {
  /**
   * Resolves true after `delayMs`, or false sooner if displaced. If an account, or the whole room, is full, a new
   * attempt displaces a random waiting one. So no attacker can block the room, and an owner who retries gets through.
   */
  wait(account: string, delayMs: number): Promise<boolean>
}

type Waiting = { account: string; end(isThrough: boolean): void }

/** A waiting attempt costs a timer and a promise, but no hash and no connection. */
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
