/** How long a provider may take to accept a message: a parent waits in front of the app meanwhile. */
export const DELIVERY_MS = 5000
