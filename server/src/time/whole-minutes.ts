/**
 * The whole minutes of a number of seconds: the seconds beyond them are dropped, like on a clock. Reports, spreadsheets
 * and the app all follow this rule, so that a length that reads as the goal has reached it, and none that reads as two
 * minutes is too short to count.
 */
export const wholeMinutes = (seconds: number): number => Math.floor(seconds / 60)
