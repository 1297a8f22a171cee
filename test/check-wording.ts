import { globSync, readFileSync } from 'node:fs'

/*
 * Refuses phrases that a native reader has to read twice, in comments, in the documentation and in the texts of the OpenAPI
 * document, and second words for a thing of docs/glossary.md, in names too. Each comes with a better wording.
 */

const root = new URL('../', import.meta.url)

const phrases: readonly (readonly [RegExp, string])[] = [
  [
    /(?<=^|[.:;] )(?:Whoever|Whatever|Whom|Who)(?! (?:are|is it)\b)\b/g,
    'begin with a noun: "The process that …", "A caller that …"',
  ],
  [/\b(?:whoever|whomever)\b/g, 'name the person or thing: "a person who …", "the process that …"'],
  [/\b(?:by|than|but|from|with) who\b/g, 'put a noun before "who": "by a caller that …"'],
  [
    /(?<!, |\bfor )\bso (?:many|long|often) (?!as\b|that\b)/g,
    'say the limit or name the number: "at most", "this long", "`count`"',
  ],
  [/\banew\b/g, 'write "again"'],
  [/\bin vain\b/g, 'write "without success"'],
  [/\b(?:is|are|or|of) nobody's\b/g, 'write "of no account", "has no caller"'],
  [/\bthe own\b/g, 'write "its own", "their own"'],
  [/\bthose alone\b/g, 'write "only those"'],
]

/** Words that the glossary has another one for. `faulty` contacts are the contract's. */
const terms: readonly (readonly [RegExp, string])[] = [
  [/(?<!')\b\w*refusals?(?!')\b/gi, 'write "error"'],
  [
    /(?<!tests?[/]|bench[/]|X-Webhook-|x-webhook-)\b(?!last_fault\b)(?:faults?|[a-z]\w*Faults?|\w+_faults?)\b(?!-injection|[/.\w]|`)/g,
    'write "issue" (422, configuration), "contact loss", "damage" (a chain), "vulnerability" or "failure"',
  ],
  [/\bshort[- ]?reads?\b/gi, 'write "batched read"'],
  [/\bdoorbells?\b/gi, 'write "thin event"'],
  [/\b(?:\w+_)?patience\w*\b/gi, 'write "timeout"'],
  [/\bset[_ ]?aside\b/gi, 'write "rejected"'],
  [/\b(?:LostNodes|Happening|letIn|admittedRoles|putBack)\b/g, 'see docs/glossary.md'],
  [/\bunforeseen\b/gi, 'write "unhandled"'],
  [/\b(?:device|child|basestation)_head\b/g, 'write "…_lock"'],
  // `tries` of `onCall` is a word of the interface.
  [/\b(?:[a-z]+Tries|MOST_TRIES|tries(?= ?[:=+,}.]))(?!: (?:[0-9]|number|attempts))/g, 'write "attempts"'],
  [
    /\b(?:type|interface) \w*Answers?\b|\b[a-z]+Answers?\b|\banswers?(?:Of|File|Type)\b|\bconst answers?(?=[: ].*= await)/g,
    'write "response"',
  ],
  [/--put-back\b/g, 'write "downgrade"'],
  // A program that a signal has ended has no exit code.
  [/^(?!.*signalCode).*\bexitCode [!=]== null/g, 'ask `hasEnded` of test/support/child-process.ts'],
  // The limit of Vitest is one second, which a busy machine exceeds.
  [
    /^(?!.*(?:timeout:|, \d+_000\))).*\bvi\.wait(?:For|Until)\(/g,
    'use `until` of test/support/until.ts, or give a time limit in the same line',
  ],
]

/** The lines of a file that are prose, each with its number; a comment of several lines keeps them. */
function* prose(file: string, text: string): Generator<{ line: number; words: string; isBegun: boolean }> {
  let isInside = false
  let last = ''
  for (const [n, row] of text.split('\n').entries()) {
    let words: string | undefined
    if (file.endsWith('.md')) {
      if (row.startsWith('```')) isInside = !isInside
      words = isInside ? '' : row.replace(/^\s*(?:[-*>|]|\d+\.)\s*/, '').replaceAll(/`[^`]*`/g, '``')
    } else if (file.endsWith('.sql')) {
      words = /^\s*--\s?(.*)/.exec(row)?.[1] ?? /^COMMENT ON .* IS '(.*)';$/.exec(row)?.[1]
    } else if (file.endsWith('.json')) words = /^\s*"(?:description|summary)": "(.*)"/.exec(row)?.[1]
    else if (isInside) {
      words = row.replace(/^\s*\*?\s?/, '').split('*/')[0]
      isInside = !row.includes('*/')
    } else {
      const [, opened] = /(?:^|\s)\/\*\*?\s?(.*)$/.exec(row) ?? []
      words = opened?.split('*/')[0] ?? /(?:^|\s)\/\/\s(.*)/.exec(row)?.[1]
      isInside = opened !== undefined && !opened.includes('*/')
    }
    if (words !== undefined) yield { line: n + 1, words, isBegun: /[^.:;!?|\s]\s*$/.test(last) }
    last = words?.trim() ?? ''
  }
}

/** Other people's words, old ones, and files made of what is checked. */
const LEFT_OUT =
  /node_modules|[/]dist\b|fixtures|CHANGELOG|sdk\/src\/operations|server\/schema.sql|tables\/entities.ts/

const files = globSync(
  '{*.md,{server,sdk,test,docs}/**/*.{ts,md,sql},examples/{sdk,third-party,device-simulator}/**/*.{ts,md},server/openapi.json}',
  {
    cwd: root,
    exclude: (path) => path.includes('node_modules'),
  },
)
function say(place: string, found: string, advice: string): void {
  console.error(`${place} "${found.trim()}": ${advice}`)
  process.exitCode = 1
}

/** Where the words of before must stand: labels that values are hashed with, the undoing of migrations, this list. */
const OLD_WORDS = /auth\/keys\.ts|database\/upgrade\.test\.ts|check-wording\.ts/

for (const file of files.filter((path) => !LEFT_OUT.test(path)).toSorted()) {
  const text = readFileSync(new URL(file, root), 'utf8')
  for (const { line, words, isBegun } of prose(file, text))
    for (const [phrase, advice] of phrases)
      for (const found of words.matchAll(phrase)) {
        // The line goes on with a sentence of the line before, or is a title.
        if (found[0].startsWith('W') && ((found.index === 0 && isBegun) || file.endsWith('.json'))) continue
        say(`${file}:${line}`, found[0], advice)
      }
  if (OLD_WORDS.test(file)) continue
  for (const [n, row] of text.split('\n').entries())
    for (const [term, advice] of terms)
      for (const [found] of row.matchAll(term)) say(`${file}:${n + 1}`, found, advice)
}
