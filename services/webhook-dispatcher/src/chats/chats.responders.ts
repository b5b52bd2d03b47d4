import {
  postChat,
  resealChats,
  sealChats,
  type ChatResult,
  type SealedChat,
} from '@whereabouts/contracts/messages/alerts/alert-notices'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { answering, type Responder } from '@whereabouts/messaging/messages/request'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { setTimeout as pause } from 'node:timers/promises'
import { waitAfter } from '../deliveries/attempts.rules.ts'
import type { Post } from '../receivers/http-post.ts'
import type { Ports } from '../receivers/address-guard.ts'
import { openSecret, sealSecret, type SealedSecret, type SecretKeys } from '../webhooks/secrets.ts'
import { urlProblem } from '../webhooks/webhooks.rules.ts'
import { chatPayload } from './chat-payload.ts'

export type ChatDeps = {
  secretKeys: SecretKeys
  allowPrivateTargets: boolean
  ports?: Ports
  post: Post
  random: () => number
  stopping: AbortSignal
}

const HINT_LENGTH = 4

const toSealed = ({ secret_ciphertext, secret_key_id }: SealedSecret): SealedChat => ({
  ciphertext: secret_ciphertext.toString('base64'),
  key_id: secret_key_id,
})
const toSecret = ({ ciphertext, key_id }: SealedChat): SealedSecret => ({
  secret_ciphertext: Buffer.from(ciphertext, 'base64'),
  secret_key_id: key_id,
})

/** Without the path, which is the secret, but for its end: an organization may have several channels of one program. */
const shownUrl = (url: string) => `${new URL(url).origin}/…${url.slice(-HINT_LENGTH)}`

/** Answers `rpc.webhook-dispatcher.seal-chats`. Addresses follow the rules of webhooks (D14.6). */
const sealing = answering(
  sealChats,
  'not addresses of channels',
  async ({ secretKeys, allowPrivateTargets, ports }: ChatDeps, { org_id, urls }) => ({
    chats: urls.map((url) => {
      const problem = urlProblem(url, allowPrivateTargets, ports)
      if (problem !== undefined) return { problem }
      return { sealed: toSealed(sealSecret(secretKeys, org_id, url)), shown: shownUrl(url) }
    }),
  }),
)

/** Answers `rpc.webhook-dispatcher.reseal-chats`, which is asked for all that are stored, so that an older key can go. */
const resealing = answering(
  resealChats,
  'not encrypted addresses',
  async ({ secretKeys }: ChatDeps, { chats }) => ({
    chats: chats.map(({ org_id, sealed }) => {
      if (sealed.key_id === secretKeys[0].id) return null
      const url = opened(secretKeys, org_id, sealed)
      return url === undefined ? null : toSealed(sealSecret(secretKeys, org_id, url))
    }),
  }),
)

function opened(keys: SecretKeys, orgId: number, sealed: SealedChat): string | undefined {
  try {
    return openSecret(keys, orgId, toSecret(sealed))
  } catch {
    return undefined
  }
}

/** Answers `rpc.webhook-dispatcher.post-chat`, with the pauses of webhooks between its attempts (D11.3). */
const posting = answering(postChat, 'not a message to a channel', async (deps: ChatDeps, question) => {
  const { org_id, kind, sealed, attempts, notice } = question
  const url = opened(deps.secretKeys, org_id, sealed)
  if (url === undefined)
    return { status_code: null, error: 'the stored address cannot be read; enter it again' }
  const body = Buffer.from(JSON.stringify(chatPayload(kind, notice)))
  for (let attempt = 1; ; attempt += 1) {
    const result = await postOnce(deps, url, body)
    const wait = waitAfter('standard', { made: attempt, sinceFirstMs: 0 }, deps.random)
    if (result.error === null || attempt === attempts || wait === undefined) return result
    await pause(wait, undefined, { signal: deps.stopping })
  }
})

const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'Service-Webhooks/1' }

async function postOnce({ post, stopping }: ChatDeps, url: string, body: Uint8Array): Promise<ChatResult> {
  const { statusCode, error } = await post(url, HEADERS, body, stopping)
  return { status_code: statusCode ?? null, error: error ?? null }
}

/** For tests without a broker. */
export const chatAnswers = { seal: sealing.answer, reseal: resealing.answer, post: posting.answer }

/** Answers all questions about channels. A process that stops answers none: the caller asks another one. */
export function serveChats(broker: Broker, deps: Omit<ChatDeps, 'stopping'>, log: Logger): Responder {
  const stop = new AbortController()
  const all = { ...deps, stopping: stop.signal }
  const responders = [
    sealing.serve(broker, all, log),
    resealing.serve(broker, all, log),
    posting.serve(broker, all, log),
  ]
  return {
    async stop() {
      stop.abort()
      await Promise.all(responders.map((each) => each.stop()))
    },
  }
}
