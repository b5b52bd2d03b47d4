import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/**
 * Three tiers: unit (no I/O), integration (real PostgreSQL and NATS), and black box (a started system): `blackbox`,
 * `operator`, `contract`, `console`, `walls`, `soak`, `upgrade` and `screens`. vitest wants a `groupOrder` for each project
 * with one worker; `npm test` runs them in the order of `deploy/workshop/suites/all-suites.ts`.
 */
const sources = [
  'libs/**/src/**',
  'services/**/src/**',
  'services/*/test/**',
  'services/**/migrations/**',
  'deploy/**',
]
const named = (ending: string) => sources.map((folder) => `${folder}/*${ending}`)

export default defineConfig({
  test: {
    maxWorkers: availableParallelism() + 1, // many tests wait for a moment that is part of a rule
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            ...named('.test.ts'),
            'services/console/web/**/*.test.ts',
            'docs/.vitepress/*.test.ts',
            'test/{,campaign/**/}*.test.ts',
          ],
          exclude: ['**/node_modules/**', '**/*.{int,soak}.test.ts'],
          isolate: false, // a process and its modules serve many files: a third of the processor time
          expect: { poll: { timeout: 15_000 } },
          testTimeout: 20_000, // while suites fill every core
        },
      },
      {
        test: {
          name: 'integration',
          include: [...named('.int.test.ts'), 'test/{bench,campaign}/**/*.int.test.ts'],
          exclude: ['**/node_modules/**'],
          isolate: false,
          expect: { poll: { timeout: 15_000 } },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'blackbox', // all files share one system, one after the other: one stops a service
          include: ['test/flow/**/*.test.ts'],
          isolate: false,
          expect: { poll: { timeout: 15_000 } },
          exclude: ['**/node_modules/**'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
          fileParallelism: false,
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          name: 'operator', // black box; all files share one system, one after the other: some stop services
          include: ['test/operator/**/*.test.ts'],
          isolate: false,
          expect: { poll: { timeout: 15_000 } },
          exclude: ['**/node_modules/**'],
          globalSetup: 'test/operator/support/system.setup.ts',
          testTimeout: 60_000,
          hookTimeout: 180_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'soak', // slow, and not part of npm test: each file kills processes of a system of its own
          include: ['test/faults/**/*.test.ts', 'test/campaign/*.soak.test.ts', ...named('.soak.test.ts')],
          exclude: ['**/node_modules/**'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'upgrade', // run by pnpm upgrade-test, which installs another version
          include: ['test/upgrade/**/*.test.ts'],
          exclude: ['**/node_modules/**'],
          testTimeout: 900_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 15_000 } },
        },
      },
      {
        test: {
          name: 'contract', // black box too, but all files share one system
          include: ['test/contract/**/*.test.ts'],
          isolate: false,
          expect: { poll: { timeout: 15_000 } },
          exclude: ['**/node_modules/**'],
          globalSetup: 'test/contract/support/system.setup.ts',
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'walls', // black box; all files share one system, one after the other: each compares all that the broker keeps
          include: ['test/walls/**/*.test.ts'],
          isolate: false,
          expect: { poll: { timeout: 15_000 } },
          exclude: ['**/node_modules/**'],
          globalSetup: 'test/walls/support/system.setup.ts',
          testTimeout: 180_000, // an attack goes on until another organization is served; what waits has a limit of its own
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: 'screens', // slow, and not part of npm test: pictures of every screen and dialog in all sizes
          include: ['test/screens/**/*.test.ts'],
          exclude: ['**/node_modules/**'],
          globalSetup: 'test/console/support/system.setup.ts',
          testTimeout: 900_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 15_000 } },
        },
      },
      {
        test: {
          name: 'console', // black box, in a browser; all files share the system of `contract`
          include: ['test/{console,browser}/**/*.test.ts'],
          isolate: false,
          exclude: ['**/node_modules/**'],
          globalSetup: 'test/console/support/system.setup.ts',
          testTimeout: 180_000, // some go through all screens; what each waits for has a limit of its own
          hookTimeout: 60_000,
          expect: { poll: { timeout: 15_000 } },
        },
      },
    ],
  },
})
