import { createPrivateKey, sign } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Signs SHA256SUMS, which names every artefact, with the Ed25519 key (PEM) in `keyFile`. docs/contributing/release.md has the command that
 * verifies it. Returns a line for the user.
 */
export async function signSums(folder: string, keyFile: string | undefined): Promise<string> {
  if (!keyFile) return 'SHA256SUMS is not signed: RELEASE_SIGNING_KEY names no key.'
  const key = createPrivateKey(await readFile(keyFile))
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(`${keyFile} is not an Ed25519 key: openssl genpkey -algorithm ed25519 -out FILE`)
  await writeFile(join(folder, 'SHA256SUMS.sig'), sign(null, await readFile(join(folder, 'SHA256SUMS')), key))
  return 'SHA256SUMS.sig signs SHA256SUMS.'
}
