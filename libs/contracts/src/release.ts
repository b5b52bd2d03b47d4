import root from '../../../package.json' with { type: 'json' }

/** The version of services, images, API description and clients. deploy/workshop/release/versions.ts lists who repeats it. */
export const RELEASE: string = root.version

/** The licence of the product, as `license` of package.json names it. Undefined until the owner has chosen one. */
export const LICENSE: string | undefined = (root as { license?: string }).license
