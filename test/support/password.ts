/** The password of every account that the tests sign up. */
export const PASSWORD = 'correct horse battery'
