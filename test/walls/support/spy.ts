import type { NatsConnection } from 'nats'

/** Hears whatever is said in the account of the services. */
export type Spy = {
  /** The subjects among `subjects` on which the broker's acknowledgement of a stored message was heard. */
  acknowledgedOn(subjects: readonly string[]): Promise<string[]>
  stop(): void
}

/** How the broker's answers begin. `{"seq":` begins a question: services ask `STREAM.MSG.GET` for one message that way. */
const ANSWER = /^\{"(?:stream|type|error)":/

export function startSpy(app: NatsConnection): Spy {
  const heard = new Set<string>()
  const subscription = app.subscribe('>', {
    callback: (_error, { subject, data }) => {
      const begin = Buffer.from(data.subarray(0, 16)).toString()
      // The broker tells there of what the suite itself asks it.
      const isAdvisory = subject.startsWith('$JS.EVENT.ADVISORY.') && begin.startsWith('{"type":')
      if (ANSWER.test(begin) && !isAdvisory) heard.add(subject)
    },
  })
  return {
    async acknowledgedOn(subjects) {
      await app.flush()
      return subjects.filter((subject) => heard.has(subject))
    },
    stop: () => subscription.unsubscribe(),
  }
}
