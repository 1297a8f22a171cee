import { globSync, readFileSync } from 'node:fs'

/*
 * Lists what the service reads of what comes from outside: the headers and the properties of framing that decide something,
 * and each place that takes bytes in. docs/operations/inputs.md says of each what it decides, and what bounds it; a new one
 * has to be added there, with its bound.
 */

const root = new URL('../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const PAGE = 'docs/operations/inputs.md'

/** What a source says that reads a header, or a property of how a request came. */
const headers = [
  /\bheaders\[\s*'([\w-]+)'\s*\]/g,
  /(?<!-)\bheaders\??\.(?!get\b|set\b|entries\b)(\w+)/g,
  /\.headers\.get\('([\w-]+)'\)/g,
  /\bfirstOf\(request, '([\w-]+)'\)/g,
  /\b(rawHeaders|httpVersion|rawPacket|remoteAddress|readableEnded|trailers)\b/g,
  /\brequest\.(complete)\b/g,
  // As Express reads them.
  /\b(?:request|req)\.(?:get|header)\('([\w-]+)'\)/g,
  /\b(?:request|req)\.(hostname|host|protocol|secure|ips?|subdomains|xhr|fresh|cookies)\b/g,
  // By which proxies, and those who pretend to be one, say where a request came from and went to; the host itself is among the first.
  /'(x-forwarded-[a-z]+|forwarded|via|x-real-ip|x-original-[a-z]+|x-host)'/g,
]
/** What a library reads for us, by how it is called. */
const byLibrary: Record<string, RegExp> = { 'x-forwarded-for': /\bproxyAddress\(/ }
/** Headers that are taken out of an object of them. */
const taken = /const \{([^}]*)\} = (?:request\.)?headers\b/g

/** What takes bytes in, by a name that the page uses. */
const readers: Record<string, RegExp> = {
  'stream of bytes':
    /\.on(?:ce)?\('(?:data|readable)'|once\(\w+, '(?:data|readable)'\)|for await \(const \w+ of (?:request|response|body|stream|socket|process\.stdin)|\b(?:request|req|response|socket|body)\.pipe\(|\bpipeline\(\s*(?:request|req|socket|body)\b|'node:stream\/consumers'/g,
  'body of a request':
    /\b(?:receiveBody|readForm|readJsonBody|formReader|typedReader|express\.(?:json|raw|text|urlencoded))\(/g,
  'body of a response': /\b(?:response|answer|reply)\.(?:text|json|arrayBuffer|bytes|blob|formData)\(\)/g,
  JSON: /\bJSON\.parse\(/g,
  compression:
    /\b(?:gunzip|unzip|inflate|inflateRaw|brotliDecompress|createGunzip|createInflate|createInflateRaw|createUnzip|zstdDecompress)(?:Sync)?\b/g,
  form: /\bparseQuery\(|\bquerystring\b|\bURLSearchParams\(|import \{ parse \} from 'node:querystring'/g,
  'percent encoding': /\bdecodeURI(?:Component)?\(/g,
  base64: /Buffer\.from\([^)]*'base64(?:url)?'\)/g,
  'signed token': /\b(?:jwtVerify|decodeJwt|createRemoteJWKSet|compactVerify)\(/g,
  file: /\b(?:readFile|readFileSync|createReadStream|createInterface|express\.static)\(/g,
  'library that reads by itself':
    /\bprovider\.callback\(\)|\bfetch\(|\bhttps?Request\(|\brequest\(\{|createTransport\(/g,
}

/** What operators write, and what the service has written itself, is not from outside. */
const inside = /^server\/src\/(?:commands|config|database|demo|embedded-postgres|encrypted-columns)\//

/** What is read where, as rows of the page: `name` and `file`. */
function found(): Set<string> {
  const rows = new Set<string>()
  for (const file of globSync('server/src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })) {
    if (inside.test(file)) continue
    const source = read(file)
    const note = (name: string) => rows.add(`| \`${name}\` | \`${file.replace('server/src/', '')}\``)
    for (const pattern of headers) for (const [, name = ''] of source.matchAll(pattern)) note(name)
    for (const [, names = ''] of source.matchAll(taken))
      for (const [, name = ''] of names.matchAll(/(?:^|,)\s*'?([\w-]+)'?/g)) note(name)
    for (const [name, pattern] of Object.entries({ ...byLibrary, ...readers }))
      if (source.search(pattern) !== -1) note(name)
  }
  return rows
}

const rowOf = (line: string) =>
  `| ${line
    .split('|')
    .slice(1, 3)
    .map((cell) => cell.trim())
    .join(' | ')}`
const listed = new Set(
  read(PAGE)
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map(rowOf),
)
const rows = found()
const issues = [
  ...[...rows].filter((row) => !listed.has(row)).map((row) => `${PAGE} has no row ${row}`),
  ...[...listed].filter((row) => !rows.has(row)).map((row) => `nothing is read as ${PAGE} says: ${row}`),
]
for (const issue of issues.toSorted()) console.error(issue)
process.exitCode = issues.length > 0 ? 1 : 0
