import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, inject } from 'vitest'
import { ROOT } from '@whereabouts/deploy/installation/services'
import { OPEN_PATHS } from '../../services/console/src/screens.ts'
import { problemsOf } from '../console/support/accessible.ts'
import { screensOf, type ScreenName } from '../console/support/screens.ts'
import { expectSignInAgain } from '../console/support/session-end.ts'
import { takeNewAddress, test } from '../console/support/visitor.fixture.ts'
import { furnish } from './support/furnished.ts'

const FOLDER = join(ROOT, '.cache/screenshots/sizes')
const SIZES = { phone: [360, 780], tablet: [768, 1024], desktop: [1440, 900] } as const

/** Buttons that open a dialog, by screen. */
const DIALOGS: Readonly<Partial<Record<ScreenName, readonly RegExp[]>>> = {
  assets: [/^New asset$/],
  asset: [/^Edit$/, /^Rename key$/, /^Delete$/, /^Attach tag$/],
  locations: [/^New location$/, /^Move Hamburg/],
  location: [/^Edit$/, /^Rename key$/, /^Delete/, /^Attach tag$/],
  readers: [/^Add reader$/],
  reader: [/^Send a test read$/, /^Add scan point$/, /^Delete antenna/, /^Delete reader$/],
  'unknown-tags': [/^Assign E200AAAA/, /^Dismiss E200AAAA/],
  'api-keys': [/^Create key$|^New /, /^Revoke/],
  rules: [/^Delete Gone$/],
  webhooks: [/^New webhook$/],
  webhook: [/^Edit$/, /^Replace the secret$/, /^Remove webhook$/, /^Replay$/, /^Open Asset moved/],
  members: [/^Invite$/, /^Withdraw/],
}

/** Pictures of a page in all sizes, and what is wrong with it, in both color schemes. */
async function lookAt(page: Page, name: string): Promise<string[]> {
  for (const [size, [width, height]] of Object.entries(SIZES)) {
    await page.setViewportSize({ width, height })
    await page.screenshot({ path: join(FOLDER, `${name}-${size}.png`), fullPage: true })
  }
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
  await page.screenshot({ path: join(FOLDER, `${name}-dark.png`), fullPage: true })
  return (await problemsOf(page)).map((problem) => `${name}: ${problem}`)
}

test('every screen and dialog, in three sizes and both color schemes', async ({ member, organization }) => {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  await furnish(organization, { urls: inject('console') })
  const { page } = member
  const problems: string[] = []
  for (const { name, path } of await screensOf(organization)) {
    await member.open(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expect.poll(() => page.getByText(/^Loading /).count()).toBe(0)
    problems.push(...(await lookAt(page, name)))
    for (const [at, button] of (DIALOGS[name] ?? []).entries()) {
      const opener = page.getByRole('button', { name: button }).first()
      if ((await opener.count()) === 0) {
        problems.push(`${name}: no button ${button}`)
        continue
      }
      await opener.click()
      const dialog = page.getByRole('dialog')
      await dialog.waitFor()
      problems.push(...(await lookAt(page, `${name}-dialog-${at + 1}`)))
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
  }
  expect(problems).toEqual([])
})

test('on every screen, people sign in again over it after the session ends', async ({
  member,
  organization,
}) => {
  for (const { path } of await screensOf(organization)) {
    await takeNewAddress(member)
    await expectSignInAgain(member, organization, path)
  }
})

test('every page for people who are not signed in', async ({ visitor }) => {
  mkdirSync(FOLDER, { recursive: true })
  for (const path of OPEN_PATHS) {
    await visitor.open(path)
    await visitor.page.getByRole('heading', { level: 1 }).waitFor()
    expect.soft(await lookAt(visitor.page, path.slice(1))).toEqual([])
  }
})
