import type { Pins } from './checksum.ts'
import { unpackDebianPackage } from './debian-release.ts'
import { findProgram, type Program } from './program.ts'

/** From Debian's signed index of trixie. When a point release brings another version, add its hashes. */
const KUBECTL_PACKAGES: Pins = {
  'kubectl_1.32.3+ds-2_amd64.deb': '9825aaf4c14913027aae04af8688e580459f781c829bd5de00cc4dc2cc5a867f',
  'kubectl_1.32.3+ds-2_arm64.deb': 'b85800b5e2d2ecc958e2b9dfa7d4ce13b14e1175242de1f71acb4fa4b0b63212',
}

const KUBECTL: Program = {
  name: 'kubectl',
  version: { args: ['version', '--client'], pattern: /Client Version:\s*v(\d+\.\d+\.\d+)/ },
  /** The first with kustomize 5, which our manifests need. */
  oldest: '1.27.0',
  sources: [
    {
      name: 'the Debian package (trixie)',
      fetch: (scratch) =>
        unpackDebianPackage(scratch, {
          release: 'trixie',
          name: 'kubectl',
          file: 'usr/bin/kubectl',
          pins: KUBECTL_PACKAGES,
        }),
    },
  ],
  advice: 'Install kubectl yourself so that it is on PATH.',
}

/** The path of a kubectl. We use `kubectl kustomize` only, without a cluster. */
export const findKubectl = (options: {
  cacheDir: string
  onNote?: (note: string) => void
}): Promise<string> => findProgram(KUBECTL, options)
