/**
 * The reference of the service is one file of this package, which is complete in itself: what the package asks for beside
 * it, some 250 packages, is not installed.
 */
function readPackage(manifest) {
  return manifest.name === '@scalar/api-reference' ? { ...manifest, dependencies: {} } : manifest
}

module.exports = { hooks: { readPackage } }
