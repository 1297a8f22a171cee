/** Push messages go to phones alone. */
export const askForPushToken = async (): Promise<string | undefined> => undefined
