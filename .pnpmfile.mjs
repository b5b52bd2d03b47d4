/**
 * The gateway serves one file of this package, which has everything built in. Installed as declared, it would bring 27
 * packages (an editor, a chat, Vue) into every production image, to no use.
 */
function readPackage(manifest) {
  return manifest.name === '@scalar/api-reference' ? { ...manifest, dependencies: {} } : manifest
}

export const hooks = { readPackage }
