import { unpackDebianPackage } from './debian-release.ts'
import { findProgram, type Program } from './program.ts'

const KUBECTL: Program = {
  name: 'kubectl',
  version: { args: ['version', '--client'], pattern: /Client Version:\s*v(\d+\.\d+\.\d+)/ },
  /** Its kustomize is of the fifth line, which our manifests are written for. */
  oldest: [1, 27, 0],
  sources: [
    {
      name: 'the Debian package (trixie)',
      fetch: (scratch) =>
        unpackDebianPackage(scratch, {
          release: 'trixie',
          name: 'kubectl',
          file: 'usr/bin/kubectl',
        }),
    },
  ],
  advice: 'Install kubectl yourself so that it is on PATH.',
}

/** The path of a kubectl, of which we need `kubectl kustomize` alone: no cluster is asked. */
export const findKubectl = (options: {
  cacheDir: string
  onNote?: (note: string) => void
}): Promise<string> => findProgram(KUBECTL, options)
