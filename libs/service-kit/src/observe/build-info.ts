import { RELEASE } from '@whereabouts/contracts/release'

export type BuildInfo = {
  version: string
  /** `unknown` if the image was built without it. */
  commit: string
  built_at?: string
}

/** What runs here. The variables come from the image; `APP_VERSION` may name a build that is not a release. */
export const buildInfo = (env: NodeJS.ProcessEnv = process.env): BuildInfo => ({
  version: env['APP_VERSION'] || RELEASE,
  commit: env['APP_COMMIT'] || 'unknown',
  ...(env['APP_BUILT_AT'] && { built_at: env['APP_BUILT_AT'] }),
})
