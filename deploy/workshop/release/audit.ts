import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const CANNOT_ASK =
  'the registry did not answer the audit of dependencies. Ask one that does (`pnpm_config_registry=URL pnpm release`), or say why not: `--skip-audit "why"`'

/**
 * Asks the registry for known vulnerabilities of all packages in the lockfile, also of tools. One text with what to do if one is high
 * or critical, or if nobody answers: silence is not a clean audit.
 */
export async function auditProblems(root: string): Promise<string[]> {
  try {
    await run('pnpm', ['audit', '--audit-level', 'high'], { cwd: root })
    return []
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return stdout.includes('vulnerabilities found')
      ? [
          `packages have known vulnerabilities: update them, or say why not: \`--skip-audit "why"\`\n${stdout}`,
        ]
      : [`${CANNOT_ASK}\n${stdout}${stderr}`]
  }
}
