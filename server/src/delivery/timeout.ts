/** The time limit for a provider to accept a message, during which a parent waits in the app. */
export const DELIVERY_TIMEOUT_MS = 5000
