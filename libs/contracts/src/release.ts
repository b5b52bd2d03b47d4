import root from '../../../package.json' with { type: 'json' }

/** The version of services, images, API description and clients. deploy/release/versions.ts lists who repeats it. */
export const RELEASE: string = root.version
