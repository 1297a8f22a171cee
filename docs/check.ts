import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/*
 * Checks what nothing else notices in the documentation: links and anchors that lead nowhere, files that are named and
 * not there, decisions that are incomplete or missing from the index, dependencies that nobody has given a reason for.
 */

const root = fileURLToPath(new URL('..', import.meta.url))
const INDEX = 'docs/README.md'
const SECTIONS = ['Context', 'Decision', 'Alternatives', 'Consequences']

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const withoutCode = (markdown: string) => markdown.replaceAll(/^```.*?^```/gms, '')
const pages = globSync('{*.md,{docs,sdk,server,examples,test,.github}/**/*.md}', {
  cwd: root,
  exclude: (path) => /node_modules|[/.]agents/.test(path),
}).toSorted()

/** GitHub's anchor of a heading. */
const anchor = (heading: string) =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const anchorsOf = (markdown: string) =>
  new Set([
    ...[...withoutCode(markdown).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchor(heading)),
    ...[...markdown.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id),
  ])

function* brokenLinks(page: string): Generator<string> {
  for (const [, target = ''] of withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)|\ssrc="([^"]+)"/g)) {
    if (/^(https?|mailto):/.test(target)) continue
    const [path = '', fragment] = target.split('#')
    const file = path === '' ? page : relative(root, join(root, dirname(page), path))
    if (!existsSync(join(root, file))) yield `${page} links to ${target}, which is not there`
    else if (fragment !== undefined && file.endsWith('.md') && !anchorsOf(read(file)).has(fragment)) {
      yield `${page} links to ${target}, but no heading has this anchor`
    }
  }
}

/** Paths in backticks, such as `http/rest.ts`, are of the repository or of server/src. */
function* lostFiles(page: string): Generator<string> {
  for (const [, path = ''] of read(page).matchAll(
    /`([\w.-]+(?:\/[\w.-]+)*\/(?:[\w.-]+\.(?:ts|md|sql|yml|json))?)`/g,
  )) {
    const isThere = ['', 'server/src/', 'docs/operations/'].some((base) => existsSync(join(root, base, path)))
    if (!isThere) yield `${page} names \`${path}\`, which is not there`
  }
}

interface Entry {
  title: string
  date: string
  status: string
}

function* issuesOfDecision(file: string, indexed: readonly Entry[]): Generator<string> {
  const markdown = read(file)
  const [, title = '', date = '', status = ''] =
    /^# (.+)\n\nDate: (\d{4}-\d\d-\d\d) · Status: (.+)\n/.exec(markdown) ?? []
  if (title === '') yield `${file} must begin with its title and "Date: yyyy-mm-dd · Status: …"`
  else if (!/^(accepted|rejected|superseded by \[.+\]\(.+\))$/.test(status)) {
    yield `${file} has the status "${status}", which is none of accepted, rejected, superseded by [title](file)`
  }
  const headings = [...markdown.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
  if (headings.join() !== SECTIONS.join()) yield `${file} must have the sections ${SECTIONS.join(', ')}`
  const [row, ...more] = indexed
  if (!row || more.length > 0) yield `${file} must have one row in ${INDEX}, and has ${indexed.length}`
  else if (title !== '' && (row.title !== title || row.date !== date || !status.startsWith(row.status))) {
    yield `${INDEX} says of ${file} "${row.title}", ${row.date}, ${row.status}; the decision says "${title}", ${date}, ${status}`
  }
}

const DEPENDENCIES = 'docs/operations/supply-chain.md'

function* unexplainedDependencies(): Generator<string> {
  const cells = [...read(DEPENDENCIES).matchAll(/^\| (`.+?) +\|/gm)].map(([, cell = '']) => cell)
  const explained = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
  const loaded = ['server', 'sdk'].flatMap((part) => {
    const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
      read(`${part}/package.json`),
    )
    return Object.keys(dependencies)
  })
  for (const name of loaded)
    if (!explained.includes(name)) yield `${DEPENDENCIES} does not say what ${name} is for`
  for (const name of explained)
    if (!loaded.includes(name)) yield `${DEPENDENCIES} names ${name}, which is no dependency`
}

const index = read(INDEX)
const rows = [...index.matchAll(/^\| \[(.+)\]\((decisions\/[^)]+)\) +\| ([\d-]+) \| (.+?) +\|$/gm)].map(
  ([, title = '', file = '', date = '', status = '']) => ({ title, file: `docs/${file}`, date, status }),
)
const decisions = globSync('docs/decisions/*.md', { cwd: root }).toSorted()
const unlisted = globSync('docs/**/*.md', { cwd: root }).filter(
  (file) => file !== INDEX && !index.includes(`](${relative('docs', file)})`),
)

const issues = [
  ...pages.flatMap((page) => [...brokenLinks(page)]),
  ...pages.filter((page) => page.startsWith('docs/')).flatMap((page) => [...lostFiles(page)]),
  ...decisions.flatMap((file) => [
    ...issuesOfDecision(
      file,
      rows.filter((row) => row.file === file),
    ),
  ]),
  ...unexplainedDependencies(),
  ...unlisted.map((file) => `${INDEX} does not link to ${file}`),
]
for (const issue of issues) console.error(issue)
if (issues.length > 0) process.exitCode = 1
