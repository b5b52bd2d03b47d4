import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Keys } from '../../../test/keys.fixture.ts'
import { test, type Post } from '../../../test/mail.fixture.ts'
import { answerMailAlerts, answerUnknownRecipients } from './alert-mails.responders.ts'

const notice = {
  rule: { id: 4, name: 'Hall' },
  severity: 'warning',
  title: 'Warning: Hall',
  lines: ['2026-11-28 10:00 <b>Crate</b> entered Hall'],
  notes: ['And 3 more.'],
}

async function people(keys: Keys, post: Post) {
  const org = await keys.signUp()
  const member = await keys.join(org)
  const verify = async (email: string) =>
    keys.database.pool.query(`update app_user set email_verified_at = now() where email = $1`, [email])
  await verify(org.email)
  await post.send() // that of the sign-up
  post.caught.splice(0)
  const ask = (to: readonly string[], { id = randomUUID(), org_id = org.orgId } = {}) =>
    answerMailAlerts(
      { db: keys.database.db, mails: keys.mails, onMail: () => undefined },
      { org_id, id, to, notice },
    )
  return { org, admin: org.email, member: member.email, verify, ask }
}

const caught = (post: Post) => post.caught.filter(({ subject }) => subject === 'Warning: Hall')

test('D14.6 a mail about alerts has their lines, as text, and leads to them', async ({ keys, post }) => {
  const { admin, ask } = await people(keys, post)
  expect(await ask(['admins'])).toEqual({ mails: [{ to: admin, mail: 'sent' }] })
  await post.send()
  const [mail, ...others] = caught(post)
  expect(others).toEqual([])
  expect(mail).toMatchObject({ to: admin })
  expect(mail?.text).toContain('- 2026-11-28 10:00 <b>Crate</b> entered Hall')
  expect(mail?.text).toMatch(/https:\/\/\S+\/alerts\?rule_id=4\n/)
  expect(mail?.html).toContain('<li>2026-11-28 10:00 &lt;b&gt;Crate&lt;/b&gt; entered Hall</li>')
})

test('D14.8 mails go to verified addresses of members, to each person once', async ({ keys, post }) => {
  const { org, admin, member, verify, ask } = await people(keys, post)
  const other = await people(keys, post)
  const unknown = (emails: string[]) =>
    answerUnknownRecipients({ db: keys.database.db }, { org_id: org.orgId, emails })
  expect(await unknown([admin, member, other.admin])).toEqual({ unknown: [member, other.admin] })
  expect(await ask([admin.toUpperCase(), member, other.admin, 'admins'])).toEqual({
    mails: [
      { to: admin, mail: 'sent' },
      { to: member, mail: 'address not verified' },
      { to: other.admin, mail: 'address not verified' },
    ],
  })
  await verify(member)
  expect(await unknown([member])).toEqual({ unknown: [] })
  await post.send()
  expect(caught(post).map(({ to }) => to)).toEqual([admin])
})

test('D14.6 a question that is asked three times makes one mail', async ({ keys, post }) => {
  const { ask } = await people(keys, post)
  const id = randomUUID()
  await Promise.all([ask(['admins'], { id }), ask(['admins'], { id }), ask(['admins'], { id })])
  await post.send()
  expect(caught(post)).toHaveLength(1)
})

test('a mail that waits is not sent to somebody who left meanwhile', async ({ keys, post }) => {
  const { org, member, verify, ask } = await people(keys, post)
  await verify(member)
  expect((await ask([member])).mails).toEqual([{ to: member, mail: 'sent' }])
  await keys.database.pool.query(
    `delete from membership where org_id = $1 and user_id = (select id from app_user where email = $2)`,
    [org.orgId, member],
  )
  await post.send()
  expect(caught(post)).toEqual([])
})

test('many mails about alerts do not delay a new password', async ({ keys, post }) => {
  const { admin, ask } = await people(keys, post)
  for (let n = 0; n < 30; n += 1) await ask(['admins'])
  await keys.post('/api/v1/auth/password/forgot', { email: admin })
  await post.send()
  expect(post.caught[0]?.subject).toBe('Choose a new password')
  expect(caught(post)).toHaveLength(30)
})
