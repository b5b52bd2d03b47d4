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
  /** On PATH a later fix of the same line is taken; what we fetch is exactly this one. */
  oldest: BROKER_RELEASE,
  sameLine: true,
  sources: [
    debian('sid'),
    debian('testing'), // has it for a while after sid has moved on
    { name: 'the official release', fetch: downloadRelease },
    { name: 'its source, built with Go', fetch: buildWithGo },
  ],
  advice: `Install nats-server ${BROKER_RELEASE} so that it is on PATH, or a Go that is new enough to build it.`,
}

/**
 * The path of a nats-server of the line that production runs: the one on PATH, one in the cache, or a freshly fetched one.
 * Whatever is fetched has a hash that is pinned here (ADR 45). Throws an error that says what was tried.
 */
export const findNatsServer = (options: {
  cacheDir: string
  onNote?: (note: string) => void
}): Promise<string> => findProgram(NATS_SERVER, options)
