import { beforeAll, expect, test } from 'vitest'
import { problemsOf } from './checks.ts'
import { EXPECTED, renderInstallation, type Installation } from './installation.fixture.ts'
import { sharedBetween } from './separation.ts'

let production: Installation
let preview: Installation
beforeAll(async () => {
  production = await renderInstallation('production')
  preview = await renderInstallation('preview')
})

const check = ({ objects, secrets }: Installation) => problemsOf(objects, secrets, EXPECTED)

test('production: kinds, references, selectors, variables, arrows and rights are as they have to be', async () => {
  expect(await check(production)).toEqual([])
})

test('preview, whose database is outside, likewise', async () => {
  expect(await check(preview)).toEqual([])
})

test('production and preview share no namespace, host, issuer or secret', () => {
  expect(sharedBetween(production, preview)).toEqual([])
})
