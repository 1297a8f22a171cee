/** The code of an invitation: as it is, or within the link of the mail or of the page that the mail opens. */
export function readInvitation(text: string): string | undefined {
  const code = /[?&]token=([^&#\s]*)/.exec(text)?.[1] ?? text.trim()
  return /^[\w-]{20,200}$/.test(code) ? code : undefined
}

/** The code in a link that opens the app; undefined if the link is for something else. */
export const invitationOf = (link: string): string | undefined =>
  /^(companion:\/\/|https?:\/\/[^/]+\/)invitation\/?\?/.test(link) ? readInvitation(link) : undefined
