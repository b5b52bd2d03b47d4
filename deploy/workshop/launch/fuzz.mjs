// The command `pnpm fuzz`: plain JavaScript, because the machine's Node may be older than the one we need.
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { launch } from './launch.mjs'

const HELP = `pnpm fuzz [options] [paths]    run the tests with random cases: another seed, more cases than npm test

  --seed N     repeat the run with this seed
  --times N    try N times as many cases as npm test (default 25)
`
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, times: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
})
const { seed = String(randomInt(2 ** 31)), times = '25' } = values
const isWhole = /** @param {string} text */ (text) => /^[1-9]\d{0,9}$/.test(text)
if (values.help) process.stdout.write(HELP)
else if (!isWhole(seed) || !isWhole(times)) {
  process.stderr.write(`--seed and --times must be whole numbers above 0.\n\n${HELP}`)
  process.exitCode = 2
} else {
  process.stdout.write(`Seed ${seed}. Repeat with: pnpm fuzz --seed ${seed} --times ${times}\n`)
  Object.assign(process.env, { WB_SEED: seed, WB_FUZZ_RUNS: times })
  await launch('deploy/workshop/suites/fuzz.ts', positionals)
}
