import { startReceiver, type Receiver } from '@whereabouts/testing/receiver'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPost } from '../receivers/http-post.ts'
import { createTargetAgents, type TargetAgents } from '../receivers/target-agents.ts'
import { parseSecretKeys, type SecretKeys } from '../webhooks/secrets.ts'
import { chatAnswers, type ChatDeps } from './chats.responders.ts'

const OLD = `old:${'x'.repeat(43)}`
const keysOf = (text: string): SecretKeys => parseSecretKeys(text)!
let receiver: Receiver
let agents: TargetAgents
const depsOf = (keys = OLD, allowPrivateTargets = true): ChatDeps => ({
  secretKeys: keysOf(keys),
  allowPrivateTargets,
  post: createPost(agents, 1_000),
  random: () => 0,
  stopping: new AbortController().signal,
})
const notice = { rule: { id: 4, name: 'Hall' }, severity: 'info', title: 'Info: Hall', lines: [], notes: [] }

beforeAll(async () => {
  receiver = await startReceiver()
  agents = createTargetAgents({ allowPrivateTargets: true, ca: receiver.ca })
})
beforeEach(() => {
  receiver.received.splice(0)
  receiver.respondWith((_, response) => void response.writeHead(204).end())
})
afterAll(async () => {
  await Promise.all([receiver.close(), agents.destroy()])
})

async function sealed(deps: ChatDeps, url: string, org_id = 1) {
  const { chats } = await chatAnswers.seal(deps, { org_id, urls: [url] })
  const [chat] = chats
  if (!chat || 'problem' in chat) throw new Error(chat?.problem)
  return chat
}
const post = (deps: ChatDeps, chat: { sealed: object }, { attempts = 1, org_id = 1 } = {}) =>
  chatAnswers.post(deps, { org_id, kind: 'slack', sealed: chat.sealed, attempts, notice })

describe('the address of a channel', () => {
  test('D14.6 is encrypted, and shown without its path', async () => {
    const chat = await sealed(depsOf(), 'https://hooks.example.com/services/T0/secret-x7Qz')
    expect(chat.shown).toBe('https://hooks.example.com/…x7Qz')
    expect(JSON.stringify(chat)).not.toMatch(/services|secret/)
    expect(Buffer.from(chat.sealed.ciphertext, 'base64').toString()).not.toContain('secret')
  })

  test('D14.6 D11.4 follows the rules of webhooks', async () => {
    const urls = ['http://hooks.example.com', 'https://127.0.0.1/a', 'https://hooks.example.com:22/', 'https://a:b@c.example', 'nothing'] // oxfmt-ignore
    const { chats } = await chatAnswers.seal(depsOf(OLD, false), { org_id: 1, urls })
    expect(chats).toEqual([
      { problem: 'must use https' },
      { problem: 'must not point to a private address' },
      { problem: 'must use port 443 or 8443' },
      { problem: 'must not contain credentials' },
      { problem: 'must be an absolute URL' },
    ])
  })

  test('opens for its organization alone', async () => {
    const chat = await sealed(depsOf(), receiver.url)
    const answer = await post(depsOf(), chat, { org_id: 2 })
    expect(answer).toEqual({ status_code: null, error: 'the stored address cannot be read; enter it again' })
    expect(receiver.received).toEqual([])
  })

  test('is encrypted again with the newest of three keys in turn, and the key before can go', async () => {
    let keys = OLD
    const chat = await sealed(depsOf(keys), receiver.url)
    for (const id of ['k2', 'k3', 'k4']) {
      keys = `${id}:${id.padEnd(43, 'y')},${keys}`
      const { chats } = await chatAnswers.reseal(depsOf(keys), {
        chats: [{ org_id: 1, sealed: chat.sealed }],
      })
      expect(chats[0]?.key_id).toBe(id)
      chat.sealed = chats[0]!
      const again = await chatAnswers.reseal(depsOf(keys), { chats: [{ org_id: 1, sealed: chat.sealed }] })
      expect(again.chats).toEqual([null])
      keys = keys.split(',')[0]!
      expect(await post(depsOf(keys), chat)).toEqual({ status_code: 204, error: null })
    }
    expect(receiver.received).toHaveLength(3)
  })
})

describe('a message to a channel', () => {
  test('D14.6 has three attempts, and the answer of the last one', async () => {
    const chat = await sealed(depsOf(), receiver.url)
    const statuses = [500, 503, 200]
    receiver.respondWith((_, response) => void response.writeHead(statuses.shift() ?? 418).end())
    expect(await post(depsOf(), chat, { attempts: 3 })).toEqual({ status_code: 200, error: null })
    expect(receiver.received).toHaveLength(3)
    expect(JSON.parse(receiver.received[0]!.body.toString())).toEqual({ text: 'Info: Hall' })
  })

  test('says what went wrong, and follows no redirect', async () => {
    const chat = await sealed(depsOf(), receiver.url)
    receiver.respondWith((_, response) => void response.writeHead(302, { location: receiver.url }).end())
    expect(await post(depsOf(), chat)).toEqual({
      status_code: 302,
      error: 'answered 302; redirects are not followed',
    })
    receiver.respondWith(() => undefined)
    expect(await post(depsOf(), chat)).toEqual({ status_code: null, error: 'no complete answer within 1 s' })
    expect(receiver.received).toHaveLength(2)
  })

  test('ends with the process, so that another one is asked', async () => {
    const stop = new AbortController()
    const deps = { ...depsOf(), stopping: stop.signal }
    const chat = await sealed(deps, receiver.url)
    receiver.respondWith(() => stop.abort())
    await expect(post(deps, chat, { attempts: 3 })).rejects.toThrow()
  })
})
