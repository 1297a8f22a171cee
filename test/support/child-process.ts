import type { ChildProcess } from 'node:child_process'

/** Whether a process has ended, by itself or by a signal. */
export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null

/** Kills a process that leads a group of its own, and all of the group. */
export function killGroup(leader: ChildProcess): void {
  if (leader.pid !== undefined && !hasEnded(leader)) process.kill(-leader.pid, 'SIGKILL')
}
