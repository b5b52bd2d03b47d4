import { execFileSync } from 'node:child_process'
import { RELEASE } from '@whereabouts/contracts/release'
import { expect, test } from 'vitest'
import { buildInfo } from './build-info.ts'
import { createRegistry } from './metrics.ts'

test('without variables of the image, the version is the one of package.json and the commit is unknown', () => {
  const ofPackage = { version: RELEASE, commit: 'unknown' }
  expect(buildInfo({})).toEqual(ofPackage)
  // As an image has them when a build argument was not given.
  expect(buildInfo({ APP_VERSION: '', APP_COMMIT: '', APP_BUILT_AT: '' })).toEqual(ofPackage)
})

test('the variables of the image name the build, and a metric shows it', async () => {
  const built_at = '2026-11-25T12:00:00Z'
  const build = buildInfo({ APP_VERSION: '1.2.3', APP_COMMIT: 'abc123', APP_BUILT_AT: built_at })
  expect(build).toEqual({ version: '1.2.3', commit: 'abc123', built_at })
  expect(await createRegistry('test', build).metrics()).toContain(
    `build_info{version="1.2.3",commit="abc123",node="${process.version}",service="test"} 1\n`,
  )
})

test('the first log line of a service names the build', () => {
  const program = `
    import { createServiceLogger } from './logging.ts'
    createServiceLogger('test', 'info').info('second')`
  const lines = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    env: { APP_VERSION: '1.2.3', APP_COMMIT: 'abc123' },
  }).split('\n')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    service: 'test',
    msg: 'starting',
    version: '1.2.3',
    commit: 'abc123',
  })
})
