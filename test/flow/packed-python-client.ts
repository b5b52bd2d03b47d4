import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packPythonClient } from '@whereabouts/deploy/workshop/clients/pack-python'

const run = promisify(execFile)
const PIP = ['-m', 'pip', '--quiet', '--disable-pip-version-check', 'install']

/**
 * Makes a virtual environment in the folder with the packed client installed, and resolves with its Python. Undefined where
 * that is not possible: without Python, its module venv, or httpx in the package index of this machine.
 */
export async function installPythonClient(folder: string): Promise<string | undefined> {
  const wheel = await packPythonClient(folder)
  const python = join(folder, 'venv/bin/python')
  try {
    await run('python3', ['-m', 'venv', join(folder, 'venv')])
    await run(python, [...PIP, '--retries=1', '--timeout=10', 'httpx'], { timeout: 30_000 })
  } catch (error) {
    const reason = (error as { stderr?: string }).stderr || String(error)
    process.stderr.write(`The Python client is not tested: ${reason.trim().split('\n').at(-1)}\n`)
    return undefined
  }
  await run(python, [...PIP, '--no-index', wheel])
  return python
}
