/** The operator of what a command does, where a test calls it without a command line. */
export const OPERATOR = { operator: 'operator', approvedBy: undefined }
