import { BROKER_RELEASE } from '@whereabouts/messaging/broker-version'
import type { Pins } from './checksum.ts'

/** From Debian's signed package index of sid, 22 November 2026. */
export const DEBIAN_PACKAGES: Pins = {
  'nats-server_2.15.1-1_amd64.deb': '31ef4ceaa84e8248d449e508472e3770c17c3695cb5cb0ee96e03912724ea884',
  'nats-server_2.15.1-1_arm64.deb': '68923b614b6b5594bbd63ffdce7258c2155ec448fb4cb7efd099bf9273eca128',
}

/** The archives of the release, checked against a public Dockerfile that uses them. Those of macOS are not pinned. */
export const RELEASE_ARCHIVES: Pins = {
  [archiveName('linux', 'amd64')]: 'bf5edc7b1ce98e885c368cb43a886eb148dc5d0551d99f3cf6141fb5e1954c70',
  [archiveName('linux', 'arm64')]: 'e2fbab4cad7d3c76e3052eb959570393c9d73ba756b70bf8e9eea61e9ae6d49c',
}

/** Of the source, from Go's checksum database. Its go.sum pins its dependencies. */
export const GO_MODULE_SUM = 'h1:fK3AeYFIji1Smng60jB0hVoAPZezA/UzsaI3BqXFNEI='

export function archiveName(platform: string, architecture: string): string {
  return `nats-server-v${BROKER_RELEASE}-${platform}-${architecture}.tar.gz`
}
