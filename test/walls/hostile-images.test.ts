import { expect } from 'vitest'
import { test } from './support/walls.fixture.ts'

/** Each level draws the one below ten times. */
const level = (n: number) => `<g id="l${n}">${`<use href="#l${n - 1}"/>`.repeat(10)}</g>`
const BOMB = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30"><rect id="l0" width="1" height="1"/>${[1, 2, 3, 4, 5].map(level).join('')}</svg>`

test('N8 an SVG that never finishes drawing is not stored', async ({ api, attacker }) => {
  const headers = { 'content-type': 'image/svg+xml' }
  const params = { place: 'all' } as const
  const { admin } = attacker.org
  const { status, body } = await api.call('saveFloorImage', { token: admin, params, headers, body: BOMB })
  expect(status).toBe(400)
  expect(JSON.stringify(body)).toContain('the element use')
})
