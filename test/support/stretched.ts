/**
 * For the environment of a process whose timers of so many milliseconds shall take ten times longer: limits that are
 * right in production would end on a busy machine what a test wants to see. The process says on stderr that it set one.
 */
export function stretched(...milliseconds: number[]): { NODE_OPTIONS: string } {
  const program = `
    const { setTimeout } = globalThis
    globalThis.setTimeout = (act, ms, ...given) => {
      if (!${JSON.stringify(milliseconds)}.includes(ms)) return setTimeout(act, ms, ...given)
      console.error('A limit of ' + ms + ' ms')
      return setTimeout(act, 10 * ms, ...given)
    }`
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(program)}` }
}
