import { unpackDebianPackage } from './debian-release.ts'
import { extractNatsServer } from './docker.ts'
import { downloadRelease } from './nats-release.ts'
import { findProgram, type Program } from './program.ts'

const debian = (release: 'trixie' | 'sid') => ({
  name: `the Debian package (${release})`,
  fetch: (scratch: string) =>
    unpackDebianPackage(scratch, { release, name: 'nats-server', file: 'usr/sbin/nats-server' }),
})

const NATS_SERVER: Program = {
  name: 'nats-server',
  version: { args: ['--version'], pattern: /v(\d+\.\d+\.\d+)/ },
  /** Features we use: the authorization callout and filtered consumers as they behave since this version. */
  oldest: [2, 10, 27],
  sources: [
    debian('trixie'),
    debian('sid'),
    { name: 'the Docker image', fetch: extractNatsServer },
    { name: 'the official release', fetch: downloadRelease },
  ],
  advice: 'Install nats-server yourself so that it is on PATH, or start Docker.',
}

/**
 * The path of a nats-server that is new enough: the one on PATH, one in the cache, or a freshly fetched one (Debian's
 * package, unpacked and not installed; elsewhere Docker's image or the official release). Throws an error that says what was tried.
 */
export const findNatsServer = (options: {
  cacheDir: string
  onNote?: (note: string) => void
}): Promise<string> => findProgram(NATS_SERVER, options)
