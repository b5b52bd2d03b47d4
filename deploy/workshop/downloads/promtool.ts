import { unpackDebianPackage } from './debian-release.ts'
import { findProgram, type Program } from './program.ts'

const PROMTOOL: Program = {
  name: 'promtool',
  version: { args: ['--version'], pattern: /promtool, version (\d+\.\d+\.\d+)/ },
  /** Debian's current version, with which the rules are tested. */
  oldest: '2.42.0',
  sources: [
    {
      name: 'the Debian package',
      fetch: (scratch) => unpackDebianPackage(scratch, { name: 'prometheus', file: 'usr/bin/promtool' }),
    },
  ],
  advice: 'Install Prometheus so that promtool is on PATH.',
}

/** The path of promtool, which checks and tests alert rules. */
export const findPromtool = (options: { cacheDir: string }): Promise<string> => findProgram(PROMTOOL, options)
