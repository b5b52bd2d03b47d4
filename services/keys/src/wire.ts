import type { Pipeline } from '@whereabouts/db/tenant/pipeline'
import { sharedBuckets } from '@whereabouts/db/buckets/shared-buckets'
import { returnToken, takeToken } from '@whereabouts/db/buckets/token-bucket'
import { buildApp, type AppDeps } from './app.ts'
import { createKnownDevices } from './attempts/known-devices.ts'
import { createSigningKeys } from './credentials/tokens/signing-keys.ts'

type Parts = Omit<AppDeps, 'signingKeys' | 'buckets' | 'devices'> & {
  /** Takes and returns tokens of the rate buckets. */
  bucketDatabase: Pick<Pipeline, 'query'>
  /** Encrypts the signing keys at rest, and proves known devices. 32 bytes. */
  signingKeySecret: Buffer
}

/** The parts of keys that need no broker, connected. Nothing has been started: no port, no loop. */
export function wire({ bucketDatabase, signingKeySecret, ...deps }: Parts) {
  const { db, log, now } = deps
  const signingKeys = createSigningKeys({ db, secret: signingKeySecret, now })
  const buckets = sharedBuckets({
    takeShared: (bucket, rate) => takeToken(bucketDatabase, bucket, rate),
    returnShared: (bucket, rate) => returnToken(bucketDatabase, bucket, rate),
    log,
  })
  const devices = createKnownDevices({ secret: signingKeySecret, now })
  return { app: buildApp({ ...deps, signingKeys, buckets, devices }), signingKeys, buckets, devices }
}
