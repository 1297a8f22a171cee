/** How often the service looks for bodies that come too slowly; seldom enough, it takes itself for the slow one. */
export const SLOW_BODY_CHECK = 500

/**
 * For the environment of a process in which timers of these milliseconds take ten times longer: limits that are
 * right in production would end on a busy machine what a test wants to see. The process says on stderr that it set one.
 */
export function stretched(...milliseconds: number[]): { NODE_OPTIONS: string } {
  const program = `
    for (const name of ['setTimeout', 'setInterval']) {
      const set = globalThis[name]
      globalThis[name] = (act, ms, ...given) => {
        if (!${JSON.stringify(milliseconds)}.includes(ms)) return set(act, ms, ...given)
        console.error('A limit of ' + ms + ' ms')
        return set(act, 10 * ms, ...given)
      }
    }`
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(program)}` }
}
