import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Graphviz } from '@hpcc-js/wasm-graphviz'
import { CircularImports, layer, readModules } from './modules.ts'
import type { Arrow, Module } from './modules.ts'

/* Draws docs/architecture.svg from the imports of the code; with --check it only says whether that is due. */

const root = new URL('../../', import.meta.url)
const picture = new URL('docs/architecture.svg', root)
const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
  readFileSync(new URL('server/package.json', root), 'utf8'),
)

const LINE = 26
const POINTS_PER_INCH = 72
const MARGIN = 28
const LEGEND_LINE = 18

/** The server's packages that one module alone imports, in lines of at most `LINE` characters; scopes by their name. */
function ownPackages(module: Module, modules: readonly Module[]): string[] {
  if (module.kind === 'outside') return []
  const others = modules.filter((other) => other !== module && other.kind !== 'outside')
  const own = [...module.packages]
    .filter((npm) => npm in dependencies && !others.some(({ packages }) => packages.has(npm)))
    .map((npm) => npm.replace(/^@([\w-]+)\/.*/, '$1'))
  const lines: string[] = []
  for (const word of [...new Set(own)].toSorted()) {
    const longer = [...lines.slice(-1), word].join(' · ')
    if (lines.length > 0 && longer.length <= LINE) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

interface Box extends Module {
  lines: string[]
  width: number
  height: number
}

function boxOf(module: Module, lines: string[]): Box {
  const longest = Math.max(
    module.name.length * (module.kind === 'file' ? 7.2 : 8),
    ...lines.map((line) => line.length * 5.8),
  )
  return {
    ...module,
    lines,
    width: Math.round(Math.max(longest + 28, 92)),
    height: module.kind === 'file' ? 28 : 34 + 14 * lines.length,
  }
}

/** The part of Graphviz's answer that is read: points, whose y grows upwards. */
interface Laid {
  bb: string
  objects: { name: string; pos?: string; bb?: string }[]
  edges: { tail: number; head: number; pos: string }[]
}

async function layOut(boxes: readonly Box[], arrows: readonly Arrow[]): Promise<Laid> {
  const node = ({ name, width, height }: Box) =>
    `"${name}" [width=${width / POINTS_PER_INCH}, height=${height / POINTS_PER_INCH}]`
  const isOutside = ({ kind }: Box) => kind === 'outside'
  const dot = [
    'digraph {',
    'graph [rankdir=TB, nodesep=0.35, ranksep=0.34, newrank=true, mclimit=20]',
    'node [shape=box, fixedsize=true]',
    'edge [arrowhead=none]',
    ...boxes.filter(isOutside).map(node),
    'subgraph cluster_server { graph [margin=20, label="server/src"]',
    ...boxes.filter((box) => !isOutside(box)).map(node),
    '}',
    ...arrows.map(({ from, to }) => `"${from}" -> "${to}"`),
    '}',
  ]
  return JSON.parse((await Graphviz.load()).layout(dot.join('\n'), 'json', 'dot'))
}

async function draw(modules: readonly Module[]): Promise<string> {
  const { arrows, upward } = layer(modules)
  const isAlone = ({ name }: Module) => !arrows.some(({ from, to }) => from === name || to === name)
  const boxes = modules
    .filter((module) => !isAlone(module))
    .map((module) => boxOf(module, ownPackages(module, modules)))
  const { bb, objects, edges } = await layOut(boxes, arrows)
  const [, , width = 0, height = 0] = bb.split(',').map(Number)
  const pointsOf = (text: string) =>
    text.split(' ').map((pair) => {
      const [x = 0, y = 0] = pair.split(',').map(Number)
      return [Math.round(x + MARGIN), Math.round(height - y + MARGIN)] as const
    })
  const server = objects.flatMap(({ bb: corners }) => {
    if (corners === undefined) return []
    const [left = 0, bottom = 0, right = 0, top = 0] = corners.split(',').map(Number)
    const [[x, y] = [0, 0]] = pointsOf(`${left},${top}`)
    return [
      `<rect class="server" x="${x}" y="${y}" width="${Math.round(right - left)}" height="${Math.round(top - bottom)}" rx="14"/>`,
      `<text class="place" x="${x + 14}" y="${y + 20}">server/src</text>`,
    ]
  })
  const lines = edges.map(({ tail, head, pos }) => {
    const [first, ...rest] = pointsOf(pos)
    const arrow = arrows.find(({ from, to }) => from === objects[tail]?.name && to === objects[head]?.name)
    return `<path${arrow?.isTypeOnly ? ' class="types"' : ''} d="M${first?.join()} C${rest.join(' ')}"/>`
  })
  const cards = objects.flatMap(({ name, pos = '' }) => {
    const box = boxes.find((each) => each.name === name)
    if (!box) return []
    const [[x, y] = [0, 0]] = pointsOf(pos)
    const top = y - box.height / 2
    const title = box.lines.length === 0 ? y + 5 : top + 22
    return [
      `<g class="${box.kind}">`,
      `<rect x="${x - box.width / 2}" y="${top}" width="${box.width}" height="${box.height}" rx="${box.kind === 'file' ? 14 : 9}"/>`,
      `<text x="${x}" y="${title}">${name}</text>`,
      ...box.lines.map((line, n) => `<text class="small" x="${x}" y="${title + 16 + 14 * n}">${line}</text>`),
      '</g>',
    ]
  })
  const bottom = Math.ceil(height + 2 * MARGIN)
  const alone = modules.filter(isAlone).map(({ name }) => name)
  const legend = [
    'An arrow means “imports”; a dashed one, types alone. Arrows that follow from others are left out.',
    'Small print: packages that this module alone imports.',
    ...(alone.length > 0 ? [`No import leads to or from ${alone.join(', ')}.`] : []),
    ...(upward.length > 0
      ? [`Types alone lead upwards: ${upward.map(({ from, to }) => `${from} to ${to}`).join(', ')}.`]
      : []),
  ].map((line, n) => `<text class="legend" x="${MARGIN}" y="${bottom + LEGEND_LINE * n}">${line}</text>`)
  return page(Math.ceil(width + 2 * MARGIN), bottom + LEGEND_LINE * legend.length + 8, [
    ...server,
    ...lines,
    ...cards,
    ...legend,
  ])
}

const page = (
  width: number,
  height: number,
  content: readonly string[],
) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>Which module imports which</title>
<style>
svg { --paper: #f6f8fb; --server: #ffffff; --card: #ffffff; --ink: #1b2430; --soft: #5a6878; --line: #8496ab; --edge: #dbe3ed; --module: #3b6fd4; --module-card: #f1f5fd; --outside: #2a8a70; --outside-card: #eef8f5 }
@media (prefers-color-scheme: dark) {
  svg { --paper: #11161d; --server: #171e27; --card: #1f2833; --ink: #e8edf4; --soft: #9aa8ba; --line: #6c7f98; --edge: #2a3543; --module: #7aa5f5; --module-card: #1d2a40; --outside: #5cc7a8; --outside-card: #18302c }
}
.paper { fill: var(--paper) }
.server { fill: var(--server); stroke: var(--edge) }
rect { fill: var(--card); stroke-width: 1.5 }
path { fill: none; stroke: var(--line); stroke-width: 1.5; marker-end: url(#head) }
marker path { fill: var(--line); stroke: none; marker-end: none }
.types { stroke-dasharray: 4 4 }
text { font: 600 14px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: var(--ink); text-anchor: middle }
.small { font-size: 11px; font-weight: 400; fill: var(--soft) }
.legend, .place { font-size: 12px; font-weight: 400; fill: var(--soft); text-anchor: start }
.file text { font-size: 12.5px; font-weight: 500 }
.module rect { fill: var(--module-card); stroke: var(--module) }
.file rect { stroke: var(--line) }
.outside rect { fill: var(--outside-card); stroke: var(--outside) }
</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0.5 L8,4 L0,7.5 z"/></marker></defs>
<rect class="paper" width="100%" height="100%" rx="14"/>
${content.join('\n')}
</svg>
`

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const drawn = await draw(await readModules(fileURLToPath(root))).catch((error: unknown) => {
  if (!(error instanceof CircularImports)) throw error
  console.error(error.message)
  process.exit(1)
})
if (!values.check) writeFileSync(picture, drawn)
else if (readFileSync(picture, 'utf8') !== drawn) {
  console.error(
    'docs/architecture.svg does not show the imports as they are: run `pnpm generate` and commit it.',
  )
  process.exitCode = 1
}
