// The command `pnpm release`: checks a release, then rehearses it or tags it.
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { runCommand } from '../../command.ts'
import { readImages, unpinned } from '../../images.ts'
import { imageCommand, table, writeArtefacts } from './artefacts.ts'
import { auditProblems } from './audit.ts'
import { addTag, releaseProblems } from './checks.ts'
import { tryGenerators } from './generator-trial.ts'
import { signSums } from './signature.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const FOLDER = '.cache/release'

const HELP = `Usage: pnpm release [--dry-run] [--skip-checks] [--skip-audit "why"]

Checks that the tree is clean, that every file has the version of package.json, and that docs/changelog.md has a section and git
no tag for it. Asks the registry for known vulnerabilities (pnpm audit): it refuses high and critical ones, and silence. Refuses an image without a digest.
Runs pnpm check:static, and pnpm try:generators on a product that it starts for that: some minutes, and downloads. Then adds the git tag v<version>. Pushes nothing. Before it, run pnpm soak, pnpm fuzz and
pnpm upgrade-test: they take long, so this command does not.

  --dry-run      adds no tag. Writes both clients, NOTICE, SBOMs (CycloneDX) and SHA256SUMS to ${FOLDER}, signed with the
                 Ed25519 key in the file RELEASE_SIGNING_KEY, and prints sizes and hashes, and the command that builds the image
  --skip-checks  leaves pnpm check:static and pnpm try:generators out
  --skip-audit   leaves the audit out, and writes the reason into the tag
  -h, --help     shows this text
`

async function rehearse(problems: readonly string[]): Promise<string> {
  const folder = resolve(ROOT, FOLDER)
  await writeArtefacts(ROOT, folder)
  const signed = await signSums(folder, process.env['RELEASE_SIGNING_KEY'])
  const text = `${FOLDER}:\n\n${await table(folder)}\n\n${signed}\n\nThe image:\n\n${imageCommand(ROOT)}\n\nNo tag was added.`
  if (problems.length === 0) return text
  process.stdout.write(`${text}\n`)
  throw notReady(problems)
}

const notReady = (problems: readonly string[]) => new Error(['not ready', ...problems].join('\n- '))

await runCommand(
  'release',
  HELP,
  async ({ 'dry-run': isDryRun, 'skip-checks': skipsChecks, 'skip-audit': whyNoAudit }) => {
    if (whyNoAudit?.trim() === '') throw new Error('--skip-audit needs a reason')
    const problems = releaseProblems(ROOT)
    if (problems.length > 0) throw notReady(problems)
    const ofOthers = [
      ...unpinned(readImages()),
      ...(whyNoAudit === undefined ? await auditProblems(ROOT) : []),
    ]
    // A rehearsal goes on: what it writes does not depend on them.
    if (ofOthers.length > 0 && !isDryRun) throw notReady(ofOthers)
    if (!skipsChecks) {
      execFileSync('pnpm', ['check:static'], { cwd: ROOT, stdio: 'inherit' })
      process.stdout.write(`${await tryGenerators(ROOT)}\n`)
    }
    if (isDryRun) return rehearse(ofOthers)
    const note = whyNoAudit === undefined ? 'Dependencies were audited.' : `Not audited: ${whyNoAudit}`
    return `added the tag ${addTag(ROOT, note)} here; push it when you are sure`
  },
  ['dry-run', 'skip-checks'],
  ['skip-audit'],
)
