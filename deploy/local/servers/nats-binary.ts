import { BROKER_RELEASE } from '@whereabouts/messaging/broker-version'
import { unpackDebianPackage } from './debian-release.ts'
import { buildWithGo } from './nats-go.ts'
import { DEBIAN_PACKAGES } from './nats-pins.ts'
import { downloadRelease } from './nats-release.ts'
import { findProgram, type Program } from './program.ts'

const debian = (release: 'sid' | 'testing') => ({
  name: `the Debian package (${release})`,
  fetch: (scratch: string) =>
    unpackDebianPackage(scratch, {
      release,
      name: 'nats-server',
      file: 'usr/sbin/nats-server',
      pins: DEBIAN_PACKAGES,
    }),
})

const NATS_SERVER: Program = {
  name: 'nats-server',
  version: { args: ['--version'], pattern: /v(\d+\.\d+\.\d+)/ },
  /** A later patch on PATH is accepted; a fetched one is exactly this release. */
  oldest: BROKER_RELEASE,
  sameLine: true,
  sources: [
    debian('sid'),
    debian('testing'), // keeps it for a while after sid has a newer one
    { name: 'the official release', fetch: downloadRelease },
    { name: 'its source, built with Go', fetch: buildWithGo },
  ],
  advice: `Install nats-server ${BROKER_RELEASE} so that it is on PATH, or Go to build it.`,
}

/**
 * The path of a nats-server of the minor version in production: from PATH, the cache, or fetched with a pinned hash
 * (ADR 45). Throws an error that lists what was tried.
 */
export const findNatsServer = (options: {
  cacheDir: string
  onNote?: (note: string) => void
}): Promise<string> => findProgram(NATS_SERVER, options)
