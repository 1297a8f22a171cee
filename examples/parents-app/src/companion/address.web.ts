/** The address of the service. On the web it is the page's own, unless another was set when the app was built. */
export const address = process.env.EXPO_PUBLIC_COMPANION_URL ?? window.location.origin
