import { unwrap, type components } from '@whereabouts/client/client'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { mailedToken } from '../system/mail.ts'
import { clientFromNewAddress, newAsset, newLocation, type Organization } from '../system/organization.ts' // oxfmt-ignore
import { expectAccessible } from './support/accessible.ts'
import { join } from './support/join.ts'
import { readAt } from './support/readings.ts'
import { envelope } from './support/refused.ts'
import { leave, newVisitor, signIn, STACK, test } from './support/visitor.fixture.ts'

type RuleCreate = components['schemas']['RuleCreate']

const PREVIEW = '**/api/v1/rules/preview'
const DAY_MS = 86_400_000

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const preview = (page: Page) => page.getByRole('region', { name: 'Preview' })

const newRule = async ({ admin }: Organization, body: RuleCreate) =>
  unwrap(await admin.POST('/api/v1/rules', { body })).data
const rulesOf = async ({ admin }: Organization) => unwrap(await admin.GET('/api/v1/rules')).data

async function pickLocation(page: Page, name: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Location' }).fill(name)
  await page.getByRole('option', { name: new RegExp(`^${name} `) }).click()
  await button(page, `Remove ${name}`).waitFor()
}

/** A pallet that stayed in Receiving for 40 hours ten days ago, for 10 hours yesterday, and is there again. */
async function palletInReceiving(organization: Organization): Promise<number> {
  const receiving = await newLocation(organization, 'Receiving', 'RECEIVING')
  await newLocation(organization, 'Yard', 'YARD')
  const { id } = await newAsset(organization, 'Pallet 7', [{ tag_type: 'rfid', value: 'E28011' }])
  unwrap(
    await organization.admin.PATCH('/api/v1/assets/{asset_id}', {
      params: { path: { asset_id: id } },
      body: { metadata: { kind: 'pallet' } },
    }),
  )
  await readAt(organization, { id, tag: 'E28011' }, [
    { location: 'RECEIVING', hoursAgo: 240 },
    { location: 'YARD', hoursAgo: 200 },
    { location: 'RECEIVING', hoursAgo: 30 },
    { location: 'YARD', hoursAgo: 20 },
    { location: 'RECEIVING', hoursAgo: 10 },
  ])
  return receiving
}

test('a sentence is completed, its preview is what the API says, and it becomes a rule', async ({
  member,
  organization,
}) => {
  const receiving = await palletInReceiving(organization)
  const { page } = member
  await member.open('/rules')
  await page.getByText('No rules yet').waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Something stays in a location too long' }).click()
  await page.getByText('Tell me when any asset stays in … longer than 4 hours.').waitFor()
  await preview(page).getByText('Complete the sentence to see what it would tell.').waitFor()
  await button(page, 'Create rule').click()
  await page.getByText('Choose a location.').waitFor()

  await pickLocation(page, 'Receiving')
  await page.getByText('Tell me when any asset stays in Receiving longer than 4 hours.').waitFor()
  expect(await page.getByText('Choose a location.').count()).toBe(0)
  const name = page.getByLabel('Name')
  await expect.poll(() => name.inputValue()).toBe('Any asset stays in Receiving longer than 4 hours')
  const rule = {
    name: 'Truth',
    kind: 'stayed_longer_than' as const,
    scope: { location_ids: [receiving] },
    params: { seconds: 14_400 },
  }
  for (const [days, times] of [
    ['7', 2],
    ['30', 3],
  ] as const) {
    await preview(page).getByText(`${days} days`, { exact: true }).click()
    const from = new Date(Date.now() - Number(days) * DAY_MS).toISOString()
    const body = { rule, from, to: new Date().toISOString() }
    const { now, past } = unwrap(await organization.admin.POST('/api/v1/rules/preview', { body })).data
    expect([now.count, past?.count]).toEqual([1, times])
    await preview(page)
      .getByText(`Now: 1 is like this. In the past ${days} days it would have told you ${times} times.`)
      .waitFor()
    const rows = preview(page).getByRole('row', { name: /Pallet 7/ })
    await expect.poll(() => rows.count()).toBe(times)
    const shown = await rows
      .locator('time')
      .evaluateAll((all) => all.map((one) => one.getAttribute('datetime')))
    expect(shown).toEqual(past?.alerts.map(({ raised_at }) => raised_at))
  }
  await preview(page)
    .getByRole('row', { name: /Pallet 7 .* Receiving 36 h|Pallet 7 .* Receiving 1 d 12 h/ })
    .waitFor()
  await preview(page)
    .getByRole('list', { name: 'Like this now' })
    .getByRole('link', { name: 'Pallet 7' })
    .waitFor()
  await expectAccessible(page)

  await page.getByLabel('Longer than', { exact: true }).fill('11')
  await preview(page)
    .getByText('Now: 0 are like this. In the past 30 days it would have told you 1 time.')
    .waitFor()
  await button(page, 'Add condition').click()
  await page.getByLabel('Name of condition 1').fill('kind')
  for (const [kind, times] of [
    ['box', '0 times'],
    ['pallet', '1 time'],
    ['crate', '0 times'],
    ['pallet', '1 time'],
  ] as const) {
    await page.getByLabel('Value of condition 1').fill(kind)
    await preview(page)
      .getByText(`Now: 0 are like this. In the past 30 days it would have told you ${times}.`)
      .waitFor()
  }
  await expectAccessible(page)
  await page.getByLabel('When', { exact: true }).selectOption('on weekdays')
  await page.getByText('Times are in the time zone of your organization: UTC.').waitFor()
  await page.getByLabel('Severity').selectOption('Critical')
  await button(page, 'Create rule').click()
  await page.waitForURL('**/rules')
  await page
    .getByText(
      'Tell me when any asset with kind pallet stays in Receiving longer than 11 hours, on weekdays.',
    )
    .waitFor()
  expect(await rulesOf(organization)).toMatchObject([
    {
      name: 'Any asset with kind pallet stays in Receiving longer than 11 hours',
      kind: 'stayed_longer_than',
      severity: 'critical',
      params: { seconds: 39_600 },
      scope: { location_ids: [receiving], include_descendants: true, metadata: { kind: 'pallet' } },
      schedule: { days: [1, 2, 3, 4, 5], from: '00:00', to: '23:59' },
    },
  ])
  await expectAccessible(page)
})

test('an old preview is never that of a new sentence, and one that is refused says what to do', async ({
  member,
  organization,
}) => {
  await palletInReceiving(organization)
  const { page } = member
  await member.open('/rules/new')
  await pickLocation(page, 'Receiving')
  await preview(page).getByText('Now: 1 is like this.').waitFor()
  const held = Promise.withResolvers<void>()
  await page.route(PREVIEW, async (route) => {
    await held.promise
    await route.continue().catch(() => undefined) // the next sentence has taken its place
  })
  for (const hours of ['11', '12', '13']) {
    await page.getByLabel('Longer than', { exact: true }).fill(hours)
    await expect.poll(() => preview(page).getByText('Now:').count()).toBe(0)
    await preview(page).getByText('Loading the preview…').waitFor()
  }
  held.resolve()
  await preview(page).getByText('Now: 0 are like this.').waitFor()
  await page.unrouteAll({ behavior: 'wait' })

  const tooLarge = envelope('validation_error', 'Refused', 400)
  const fields = [{ field: 'to', code: 'too_large', message: 'to is too large' }]
  await page.route(PREVIEW, (route) =>
    route.fulfill({ ...tooLarge, json: { error: { ...tooLarge.json.error, fields } } }),
  )
  for (const days of ['30', '7']) {
    await preview(page).getByText(`${days} days`, { exact: true }).click()
    if (days === '7') await page.getByLabel('Longer than', { exact: true }).fill('14')
    await preview(page).getByText(`${days} days have too many movements to preview`).waitFor()
    expect(await preview(page).getByText('Now:').count()).toBe(0)
  }
  await page.unrouteAll({ behavior: 'wait' })
  await page.getByLabel('Tell me when').selectOption('any reader')
  await page.getByText('Tell me when any reader is silent longer than usual.').waitFor()
  await preview(page).getByText('When readers were silent is not kept').waitFor()
})

test('a rule is edited, asks before changes are lost, and shows errors at their fields', async ({
  member,
  organization,
}) => {
  const receiving = await newLocation(organization, 'Receiving', 'RECEIVING')
  const { id } = await newRule(organization, {
    name: 'Gone',
    kind: 'left',
    scope: { location_ids: [receiving] },
    params: { resolve_after_seconds: 3_600 },
  })
  const { page } = member
  await member.open('/rules')
  await page.getByRole('link', { name: 'Gone' }).click()
  await page.getByText('Tell me when any asset leaves Receiving.').waitFor()
  await page.getByLabel('Only if it holds for a time').check()
  await page.getByLabel('Holds for', { exact: true }).fill('1500')
  await button(page, 'Save').click()
  await page.getByText('Enter a time from 1 second to 1 day.').waitFor()
  await page.getByRole('link', { name: 'All rules' }).click()
  const question = page.getByRole('dialog', { name: 'Discard what you entered?' })
  await question.getByRole('button', { name: 'Keep editing' }).click()
  await page.getByLabel('Holds for', { exact: true }).fill('15')

  const refused = envelope('validation_error', 'Refused', 400)
  const fields = [
    { field: 'scope.location_ids[0]', code: 'fk_not_found', message: 'does not name a live location' },
  ]
  await page.route(`**/api/v1/rules/${id}`, async (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({ ...refused, json: { error: { ...refused.json.error, fields } } })
      : route.continue(),
  )
  await button(page, 'Save').click()
  await page.getByText('Does not name a live location.').waitFor()
  expect(await page.getByRole('combobox', { name: 'Location' }).getAttribute('aria-invalid')).toBe('true')
  await page.unrouteAll({ behavior: 'wait' })
  await page.getByLabel('What happens').selectOption('is not in a location at a time')
  await page.getByLabel(/^At\b/).fill('07:30')
  await button(page, 'Save').click()
  await page.waitForURL('**/rules')
  await page
    .getByText('Tell me when any asset is not in Receiving at 07:30, if it holds for 15 minutes.')
    .waitFor()
  expect(await rulesOf(organization)).toMatchObject([
    { name: 'Gone', kind: 'missing_at', params: { time: '07:30' }, for_seconds: 900 },
  ])

  await page.getByRole('link', { name: 'Gone' }).click()
  await page.getByLabel('Name').fill('Not there')
  await page.getByRole('link', { name: 'All rules' }).click()
  await question.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('link', { name: 'Gone' }).waitFor()
})

test('a rule is switched off and on three times, and deleted', async ({ member, organization }) => {
  const { page } = member
  const gone = await newLocation(organization, 'Gone', 'GONE')
  await newRule(organization, { name: 'Silent', kind: 'reader_silent' })
  await newRule(organization, { name: 'Into nothing', kind: 'entered', scope: { location_ids: [gone] } })
  await organization.admin.DELETE('/api/v1/locations/{location_id}', {
    params: { path: { location_id: gone } },
  })
  await member.open('/rules')
  const isOn = async () => (await rulesOf(organization)).find(({ name }) => name === 'Silent')?.enabled
  for (let round = 0; round < 3; round += 1)
    for (const on of [false, true]) {
      await page.getByLabel('Silent is on').click({ force: true })
      await expect.poll(isOn).toBe(on)
      await expect.poll(() => page.getByLabel('Silent is on').isChecked()).toBe(on)
      await expect.poll(() => page.getByLabel('Silent is on').isEnabled()).toBe(true)
    }
  await page.getByText('All that it names was deleted').waitFor()
  await page.getByText('Tell me when any asset enters a deleted location.').waitFor()
  await button(page, 'Delete Into nothing').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect.poll(() => page.getByText('Into nothing').count()).toBe(0)
  expect((await rulesOf(organization)).map(({ name }) => name)).toEqual(['Silent'])
})

test('a viewer sees rules and changes none', async ({ organization, browser }) => {
  const receiving = await newLocation(organization, 'Receiving', 'RECEIVING')
  const scope = { location_ids: [receiving] }
  const { id } = await newRule(organization, { name: 'Into Receiving', kind: 'entered', scope })
  const viewer = await newVisitor(browser)
  await signIn(viewer, await join(organization, 'viewer'))
  const { page } = viewer
  await viewer.open('/rules')
  await page.getByText('Tell me when any asset enters Receiving.').waitFor()
  await page.getByText('Viewers can look, not change.').waitFor()
  expect(await page.getByLabel('Into Receiving is on').isDisabled()).toBe(true)
  expect(await button(page, /Delete|New rule/).count()).toBe(0)
  await viewer.open(`/rules/${id}`)
  await page.getByText('Tell me when any asset enters Receiving.').waitFor()
  await preview(page).getByText('Now: 0 are like this.').waitFor()
  expect(await page.getByRole('textbox').count()).toBe(0)
  await expectAccessible(page)
  await leave(viewer)
})

test('what is true already for more than 1,000 is asked, not raised', async ({ member, organization }) => {
  await newLocation(organization, 'Receiving', 'RECEIVING')
  for (const from of [0, 500, 1_000]) {
    const items = Array.from({ length: from === 1_000 ? 1 : 500 }, (_, at) => ({
      external_key: `UNSEEN-${from + at}`,
      name: 'Unseen',
    }))
    unwrap(await organization.integrator.POST('/api/v1/assets/batch', { body: { items } }))
  }
  const { page } = member
  for (const [answer, label] of [
    ['true', 'Raise 1,001 alerts'],
    ['false', 'Only from now on'],
  ] as const) {
    await member.open('/rules/new')
    await page.getByLabel('What happens').selectOption('is not in a location at a time')
    await pickLocation(page, 'Receiving')
    await page.getByLabel(/^At\b/).fill('00:00')
    await preview(page).getByText('Now: 1,001 are like this.').waitFor()
    await preview(page).getByText('and 991 others').waitFor()
    await page.getByLabel('Name').fill(label)
    await button(page, 'Create rule').click()
    const question = page.getByRole('dialog', { name: 'Raise what is true already?' })
    await question.getByText('already true for 1,001 assets').waitFor()
    await expectAccessible(page)
    const sent = page.waitForRequest((request) => request.url().endsWith(`/rules?raise_existing=${answer}`))
    await question.getByRole('button', { name: label }).click()
    await sent
    await page.waitForURL('**/rules')
  }
  const open = async (name: string) =>
    (await rulesOf(organization)).find((rule) => rule.name === name)?.open_alerts
  await expect.poll(() => open('Raise 1,001 alerts'), { timeout: 20_000 }).toBe(1_001)
  expect(await open('Only from now on')).toBe(0)
  await page.getByRole('link', { name: '1,001 open alerts of Raise 1,001 alerts' }).waitFor()
})

test('D14.6 a rule tells people: whom it knows, what is refused, and a test of each three times', async ({
  member,
  organization,
}) => {
  const { page } = member
  const { email } = organization.login
  const token = await mailedToken(STACK.urls.mail, email, 'Confirm your e-mail address')
  await clientFromNewAddress(STACK).POST('/api/v1/auth/verify', { body: { token } })
  await newLocation(organization, 'Gate', 'GATE')
  await member.open('/rules/new')
  await pickLocation(page, 'Gate')
  const who = page.getByRole('group', { name: 'Who is told' })
  await who.getByLabel('Mail all administrators').check()
  await who.getByLabel('Mail these members').fill('eve@example.com')
  await button(page, 'Add a channel').click()
  await who.getByLabel('Channel 1', { exact: true }).selectOption('Teams')
  await who.getByLabel('Address of channel 1').fill('nowhere')
  await who.getByLabel('Tell again while nobody acknowledges').selectOption('every hour')
  await button(page, 'Create rule').click()
  await who.getByText(/must be the verified address of a member/i).waitFor()
  await who.getByText(/must be an absolute URL/i).waitFor()
  await expectAccessible(page)
  await who.getByLabel('Mail these members').fill('')
  await who.getByLabel('Address of channel 1').fill('https://127.0.0.1:9/hooks/secret-x7Qz')
  await button(page, 'Create rule').click()
  await page.waitForURL('**/rules')
  const [rule] = await rulesOf(organization)
  const notify = {
    event: true,
    email: ['admins'],
    chat: [{ kind: 'teams', url: 'https://127.0.0.1:9/…x7Qz' }],
    remind_minutes: 60,
  }
  expect(rule?.notify).toEqual(notify)
  await member.open(`/rules/${rule?.id}`)
  expect(await page.content()).not.toContain('secret')
  for (let round = 0; round < 3; round += 1) {
    await button(page, 'Send a test message').click()
    await page.getByText(`${email}: sent`).waitFor()
    await page.getByText('Teams: connection refused').waitFor()
  }
  await expectAccessible(page)
  await page.getByLabel('Name').fill('Renamed')
  await button(page, 'Save').click()
  await page.waitForURL('**/rules')
  expect((await rulesOf(organization))[0]).toMatchObject({ name: 'Renamed', notify })
})
