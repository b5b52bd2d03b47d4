import { unwrap } from '@whereabouts/client/client'
import type { Route } from 'playwright-core'
import { expect } from 'vitest'
import type { Organization } from '../../system/organization.ts'
import { API, envelope } from './refused.ts'
import type { Visitor } from './visitor.fixture.ts'

/** The session ends, the screen opens, and the person signs in again over it. */
export async function expectSignInAgain(
  visitor: Visitor,
  { login }: Organization,
  path: string,
): Promise<void> {
  const { page } = visitor
  await endSession(visitor)
  await visitor.open(path)
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.waitFor()
  await page.unrouteAll({ behavior: 'wait' })
  await dialog.getByRole('textbox', { name: 'Password' }).fill(login.password)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1 }).waitFor()
  await expect.poll(() => page.getByRole('alert').allTextContents()).toEqual([])
  expect(new URL(page.url()).pathname).toBe(path)
}

/** Refuses the token of every request and deletes the cookie. */
async function endSession({ page, context }: Visitor): Promise<void> {
  await page.goto('about:blank') // otherwise requests of the previous page are refused
  await page.route(API, async (route: Route) => {
    await context.clearCookies()
    await route.fulfill(envelope('unauthorized', 'Authentication required', 401)).catch(() => undefined)
  })
}

/** Those of the administrator in browsers: the client's own is the current one. */
export async function endOtherSessions({ admin }: Organization): Promise<void> {
  const query = { limit: 200 }
  const { data } = unwrap(await admin.GET('/api/v1/users/me/sessions', { params: { query } }))
  for (const { id } of data.filter(({ current }) => !current))
    await admin.DELETE('/api/v1/users/me/sessions/{session_id}', { params: { path: { session_id: id } } })
}
