/** What the app needs of the phone to receive push messages. */
export interface PushLink {
  /** Whether this build can receive any. */
  isAvailable: boolean
  /** Names the channel that Android lists in its settings; before anybody is asked. */
  prepare: (channel: string) => Promise<void>
  /** Asks for the permission and for the token that reaches this phone; undefined when either cannot be had. */
  ask: () => Promise<string | undefined>
  /** The token, when the permission is there already. */
  granted: () => Promise<string | undefined>
  /** Hears of every new token; returns how to stop that. */
  whenTokenChanges: (listener: (token: string) => void) => () => void
}
