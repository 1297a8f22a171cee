/** The least version of each client that is still served, by its name. */
export type MinClientVersions = Readonly<Record<string, string>>
