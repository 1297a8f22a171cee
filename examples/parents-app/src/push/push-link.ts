/** What the app needs from the phone to receive push messages. */
export interface PushPlatform {
  /** Whether this build can receive push messages. */
  isAvailable: boolean
  /** Names the channel that Android lists in its settings. Call it before `ask`. */
  prepare: (channel: string) => Promise<void>
  /** Asks for the permission and for the token of this phone; undefined if either is missing. */
  ask: () => Promise<string | undefined>
  /** The token, if the permission was given before. */
  granted: () => Promise<string | undefined>
  /** Calls `listener` for every new token. The returned function stops that. */
  whenTokenChanges: (listener: (token: string) => void) => () => void
}
