/** Where the service is: on the web, behind the page's own address unless another was given at the build. */
export const address = process.env.EXPO_PUBLIC_COMPANION_URL ?? window.location.origin
