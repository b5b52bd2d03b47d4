import { unwrap } from '@whereabouts/client/client'
import { expect, vi } from 'vitest'
import { caughtMails, mailedToken } from '../system/mail.ts'
import { clientFromNewAddress, newAsset, newLocation, newOrganization, newReader, type Organization } from '../system/organization.ts' // oxfmt-ignore
import { connectReader } from '../system/readers.ts'
import type { System } from '../system/system.ts'
import { test } from './flow.fixture.ts'

let system: System
test.beforeAll(({ system: shared }) => {
  system = shared
})

const SOON = { timeout: 20_000, interval: 200 }
const EPC = '303400000000000000000001'

async function verified(name: string): Promise<Organization> {
  const org = await newOrganization(system.stack, name)
  const token = await mailedToken(system.stack.urls.mail, org.login.email, 'Confirm your e-mail address')
  await clientFromNewAddress(system.stack).POST('/api/v1/auth/verify', { body: { token } })
  return org
}

/** Two docks with a reader each, and a rule that tells what enters the second one. */
async function guarded(name: string) {
  const org = await verified(name)
  const path = `/chat-${name}`
  const docks = [
    await newLocation(org, 'Dock A', 'DOCK-A'),
    await newLocation(org, 'Dock B', 'DOCK-B'),
  ] as const
  await newReader(org, { key: 'a', format: 'canonical', locationId: docks[0], antennas: 1 })
  await newReader(org, { key: 'b', format: 'canonical', locationId: docks[1], antennas: 1 })
  await newAsset(org, 'Pallet <7>', [{ tag_type: 'rfid', value: EPC }])
  const body = {
    name: `${name} gate`,
    kind: 'entered' as const,
    scope: { location_ids: [docks[1]] },
    notify: {
      email: ['admins'],
      chat: [{ kind: 'slack' as const, url: system.receiver.url.replace('/hook', path) }],
    },
  }
  const rule = unwrap(await org.admin.POST('/api/v1/rules', { body })).data
  const posted = () =>
    system.receiver.received
      .filter((one) => one.path === path)
      .map((one) => (JSON.parse(one.body.toString()) as { text: string }).text)
  const mailed = async () =>
    (await caughtMails(system.stack.urls.mail)).filter(
      ({ to, subject }) => to === org.login.email && subject.includes('gate'),
    )
  return { org, rule, posted, mailed }
}

const read = (minutesAgo: number) => {
  const read_at = new Date(Date.now() - minutesAgo * 60_000).toISOString()
  return Buffer.from(JSON.stringify({ reads: [{ tag: { type: 'rfid', value: EPC }, read_at }] }))
}

test('D14.6 a read raises an alert that arrives by mail and in a channel, and nowhere else', async () => {
  const [own, other] = [await guarded('Own'), await guarded('Other')]
  expect(own.rule.notify.chat[0]?.url).not.toContain('chat')
  const reader = await connectReader(system.stack, own.org.readerKey, 'nats')
  await reader.publish(own.org.id, 'a', 'canonical', read(5))
  await reader.publish(own.org.id, 'b', 'canonical', read(0))
  await vi.waitFor(() => expect(own.posted()).toHaveLength(1), SOON)
  await vi.waitFor(async () => expect(await own.mailed()).toHaveLength(1), SOON)
  await reader.close()
  expect(own.posted()[0]).toMatch(
    /^Warning: Own gate\n\n• \d{4}-\d\d-\d\d \d\d:\d\d Pallet &lt;7&gt; \(\S+\) entered Dock B$/,
  )
  const [mail] = await own.mailed()
  expect(mail).toMatchObject({ subject: 'Warning: Own gate' })
  expect(mail?.text).toContain('Pallet <7>')
  expect(mail?.text).toContain(`/alerts?rule_id=${own.rule.id}`)
  expect([other.posted(), await other.mailed()]).toEqual([[], []])
  const after = unwrap(
    await own.org.admin.GET('/api/v1/rules/{rule_id}', { params: { path: { rule_id: own.rule.id } } }),
  )
  expect(after.data).toMatchObject({ problem: null, open_alerts: 1 })
})

test('D14.6 a test goes to each once, three times in a row, and says what does not arrive', async () => {
  const { org, rule, posted, mailed } = await guarded('Test')
  const params = { path: { rule_id: rule.id } }
  for (let round = 1; round <= 3; round += 1) {
    const { data } = unwrap(await org.admin.POST('/api/v1/rules/{rule_id}/test', { params }))
    expect(data).toEqual({
      email: [{ to: org.login.email, mail: 'sent' }],
      chat: [{ kind: 'slack', status_code: 204, error: null }],
    })
    expect(posted()).toHaveLength(round)
    await vi.waitFor(async () => expect(await mailed()).toHaveLength(round), SOON)
  }
  const email = ['eve@example.com']
  const refused = await org.admin.PATCH('/api/v1/rules/{rule_id}', { params, body: { notify: { email } } })
  expect(refused.response.status).toBe(400)
  const gone = { kind: 'teams' as const, url: 'https://127.0.0.1:9/nobody' }
  unwrap(await org.admin.PATCH('/api/v1/rules/{rule_id}', { params, body: { notify: { chat: [gone] } } }))
  const { data } = unwrap(await org.admin.POST('/api/v1/rules/{rule_id}/test', { params }))
  expect(data.chat).toEqual([{ kind: 'teams', status_code: null, error: 'connection refused' }])
})
