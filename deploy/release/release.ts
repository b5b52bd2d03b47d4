// The command `pnpm release`: checks a release, then rehearses it or tags it.
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { runCommand } from '../command.ts'
import { imageCommand, table, writeArtefacts } from './artefacts.ts'
import { addTag, releaseProblems } from './checks.ts'
import { tryGenerators } from './generator-trial.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const FOLDER = '.cache/release'

const HELP = `Usage: pnpm release [--dry-run] [--skip-checks]

Checks that the tree is clean, that every file has the version of package.json, and that docs/changelog.md has a section and git
no tag for it. Runs pnpm check:static, and pnpm try:generators on a product that it starts for that: some minutes, and downloads. Then adds the git tag v<version>. Pushes nothing. Before it, run pnpm soak, pnpm fuzz and
pnpm upgrade-test: they take long, so this command does not.

  --dry-run      adds no tag. Writes both clients, SBOMs (CycloneDX) and SHA256SUMS to ${FOLDER}, and prints sizes and
                 hashes, and the command that builds the image
  --skip-checks  leaves pnpm check:static and pnpm try:generators out
  -h, --help     shows this text
`

async function rehearse(): Promise<string> {
  const folder = resolve(ROOT, FOLDER)
  await writeArtefacts(ROOT, folder)
  return `${FOLDER}:\n\n${await table(folder)}\n\nThe image:\n\n${imageCommand(ROOT)}\n\nNo tag was added.`
}

await runCommand(
  'release',
  HELP,
  async (given) => {
    const problems = releaseProblems(ROOT)
    if (problems.length > 0) throw new Error(['not ready', ...problems].join('\n- '))
    if (!given['skip-checks']) {
      execFileSync('pnpm', ['check:static'], { cwd: ROOT, stdio: 'inherit' })
      process.stdout.write(`${await tryGenerators(ROOT)}\n`)
    }
    return given['dry-run'] ? rehearse() : `added the tag ${addTag(ROOT)} here; push it when you are sure`
  },
  ['dry-run', 'skip-checks'],
)
