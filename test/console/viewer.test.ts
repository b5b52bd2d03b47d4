import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { newAsset, newLocation, newReader, type Organization } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { raised } from './support/alerts.ts'
import { join } from './support/join.ts'
import { leave, newVisitor, signIn, test } from './support/visitor.fixture.ts'

const NOTE = 'Viewers can look, not change. Ask an administrator for the role Member.'

const WRITING =
  /^(?:Acknowledge|Add|Apply|Arrange|Assign|Attach|Begin|Change|Check|Delete|Detach|Dismiss|Edit|Erase|Import|Invite|Move|New|Remove|Rename|Restore|Save|Send)\b/
/** Everybody may. */
const LEAVE = 'Leave Harbour Tools'

/** Nobody changes anything there, or only administrators do, which the screen says. */
const WITHOUT_ACTIONS = new Set(['/', '/readers', '/limits', '/members'])

/** Something on each screen, so that each has its controls. Path → a text that is there once the screen is loaded. */
async function furnish(organization: Organization): Promise<Readonly<Record<string, string>>> {
  const dock = await newLocation(organization, 'Dock', 'DOCK-1')
  const asset = await newAsset(organization, 'Pump', [{ tag_type: 'rfid', value: 'E28011' }])
  const gate = await newReader(organization, {
    key: 'gate',
    format: 'canonical',
    locationId: dock,
    antennas: 1,
  })
  const { alertId } = await raised(organization, 'Pallet 1')
  return {
    '/': 'Locations',
    '/assets': 'Pump',
    [`/assets/${asset.id}`]: 'E28011',
    '/alerts': 'Pallet 1',
    [`/alerts/${alertId}`]: 'History',
    '/locations': 'Dock',
    [`/locations/${dock}`]: 'No sub-locations.',
    '/readers': 'gate',
    [`/readers/${gate}`]: 'Only administrators can change readers.',
    '/limits': 'Images of floor plans',
    '/members': 'Viewers see what members see',
    '/unknown-tags': 'No unknown tags',
    '/rules': 'At the gate',
    '/imports': 'No imports yet',
    '/exports': 'No exports',
    '/inventory': NOTE,
    '/start': NOTE,
  }
}

const buttonsOf = async (page: Page): Promise<string[]> => {
  const buttons = await page.getByRole('main').getByRole('button', { disabled: false }).all()
  const names = await Promise.all(buttons.map(async (one) => (await one.ariaSnapshot()).split('"')[1] ?? ''))
  return [...new Set(names)].filter((name) => name !== '')
}

test('D15.3 a viewer finds no control that is refused, and reads why', async ({ organization, browser }) => {
  const screens = await furnish(organization)
  const { email, password } = await join(organization, 'viewer')
  const viewer = await newVisitor(browser)
  const refused: string[] = []
  viewer.context.on('response', (answer) => {
    if (answer.status() === 403) refused.push(`${answer.request().method()} ${answer.url()}`)
  })
  await signIn(viewer, { email, password })
  const { page } = viewer
  const show = async (path: string) => {
    await viewer.open(path)
    await page
      .getByRole('main')
      .getByText(screens[path] ?? '')
      .first()
      .waitFor()
  }
  for (const path of Object.keys(screens)) {
    await show(path)
    const names = await buttonsOf(page)
    expect(names, path).not.toContainEqual(expect.stringMatching(WRITING))
    for (const name of names.filter((each) => each !== LEAVE)) {
      await show(path) // the one before may have opened another screen
      await page.getByRole('main').getByRole('button', { name, exact: true }).first().click()
      const forms = page.getByRole('dialog').locator('form')
      expect(await forms.count(), `${name} on ${path} opens a form`).toBe(0)
    }
  }
  for (const path of Object.keys(screens).filter((one) => !WITHOUT_ACTIONS.has(one))) {
    await show(path)
    await page.getByText(NOTE).waitFor()
  }
  await expectAccessible(page)
  await show('/members')
  await page.getByRole('cell', { name: email, exact: true }).waitFor()
  await page.getByText('Hidden from viewers').waitFor()
  expect(await page.getByText(organization.login.email).count()).toBe(0)
  expect(refused).toEqual([])
  await leave(viewer)
})
