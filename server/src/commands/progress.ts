import { stripVTControlCharacters } from 'node:util'

const SHOW_MS = 100
const CLEAR_LINE = '\r\x1b[2K'

export interface Progress {
  /** Shows how much is done and, if it is known, which share of the whole, from 0 to 1. */
  show: (done: number, share?: number) => void
  /** Writes a line that stays. */
  say: (line: string) => void
  end: () => void
}

/** Shows on stderr how long work proceeds: count, rate, share and time left. Shows nothing where stderr is no terminal. */
export function startProgress(unit: string, stream: NodeJS.WriteStream = process.stderr): Progress {
  const startedAt = performance.now()
  let shownAt = startedAt
  const clear = () => void (stream.isTTY && stream.write(CLEAR_LINE))
  return {
    show(done, share) {
      const now = performance.now()
      if (!stream.isTTY || now - shownAt < SHOW_MS) return
      shownAt = now
      stream.write(CLEAR_LINE + progressLine(unit, { done, share, seconds: (now - startedAt) / 1000 }))
    },
    say(line) {
      clear()
      stream.write(`${stripVTControlCharacters(line)}\n`)
    },
    end: clear,
  }
}

/** Shows work of several steps, one after the other; each has a unit, a rate and a time left of its own. */
export function startSteps(stream: NodeJS.WriteStream = process.stderr) {
  let step = ''
  let progress = startProgress(step, stream)
  return {
    show: (unit: string, done: number, share: number): void => {
      if (unit !== step) progress = startProgress((step = unit), stream)
      progress.show(done, share)
    },
    say: (line: string) => progress.say(line),
    end: () => progress.end(),
  }
}

interface State {
  done: number
  share: number | undefined
  seconds: number
}

/** Words the state of long work: `12,000 devices, 3,000/s, 40 %, 6 s left`. */
export function progressLine(unit: string, { done, share, seconds }: State): string {
  const rate = Math.round(done / seconds)
  const parts = [`${done.toLocaleString('en')} ${unit}`, `${rate.toLocaleString('en')}/s`]
  if (share) parts.push(`${Math.floor(100 * share)} %`, `${timeLeft((seconds * (1 - share)) / share)} left`)
  return parts.join(', ')
}

function timeLeft(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
