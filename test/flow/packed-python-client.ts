import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packPythonClient } from '@whereabouts/deploy/client-types/pack-python'

const run = promisify(execFile)

/**
 * Makes a virtual environment in the folder with the packed client installed. Resolves with its Python. Undefined where that is
 * not possible: without Python, its module venv, or httpx in the package index of this machine.
 */
export async function installPythonClient(folder: string): Promise<string | undefined> {
  const wheel = await packPythonClient(folder)
  const python = join(folder, 'venv/bin/python')
  try {
    await run('python3', ['-m', 'venv', join(folder, 'venv')])
    await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', wheel], {
      timeout: 60_000,
    })
    return python
  } catch (error) {
    const reason = String((error as { stderr?: string }).stderr || error)
      .trim()
      .split('\n')
      .at(-1)
    process.stderr.write(`the Python client is not tested: ${reason}\n`)
    return undefined
  }
}
