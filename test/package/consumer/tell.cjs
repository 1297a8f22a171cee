/** Uses the package against a service of one answer and prints what it saw. */
exports.tell = async ({ createCompanion, safe, isOffline, ...others }) => {
  const tokens = { access_token: 'a', expires_in: 900, refresh_token: 'r', refresh_expires_in: 9000, id: 7 }
  const { auth, account, session } = createCompanion({
    baseUrl: 'https://companion.test',
    fetch: async (url) => {
      if (url.includes('account.me')) throw new TypeError('no network')
      return Response.json({ result: { data: tokens } })
    },
  })
  await auth.signIn({ username: 'parent@example.com', password: 'correct horse battery' })
  const [, error] = await safe(account.me())
  const seen = {
    offline: isOffline(error),
    signedIn: await session.isSignedIn(),
    others: Object.keys(others).toSorted(),
  }
  console.log(JSON.stringify(seen))
}
