import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FORMATS } from './formats.ts'
import { vendorSteps } from './vendor-steps.ts'

test.for([...FORMATS, 'of-a-newer-api'])(
  'the steps of %s lead to a page of the guide that exists',
  (format) => {
    const { guide, steps } = vendorSteps(format)
    expect(steps).not.toEqual([])
    expect(guide).toMatch(/^\/docs\/readers/)
    expect(existsSync(new URL(`../../../../..${guide}.md`, import.meta.url))).toBe(true)
  },
)
