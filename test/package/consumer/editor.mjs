// What an editor shows of the package by the named compiler: hovers, and what it offers in a comparison.
const { default: ts } = await import(process.argv[2])

const FILE = `${process.cwd()}/editor.ts`
const CODE = `import { createCompanion, safe } from '@companion/sdk'
const companion = createCompanion({ baseUrl: 'https://companion.test' })
companion.children.read({ real_user_id: 1 })
companion.charts.recent({ real_user_id: 1 })
companion.devlogs.upload([])
const [, error] = await safe(companion.auth.signIn({ username: '', password: '' }))
if (error?.data?.detail === '') process.exit()
`
const snapshotOf = (text) => text && ts.ScriptSnapshot.fromString(text)
const editor = ts.createLanguageService({
  getScriptFileNames: () => [FILE],
  getScriptVersion: () => '1',
  getScriptSnapshot: (name) => snapshotOf(name === FILE ? CODE : ts.sys.readFile(name)),
  getCurrentDirectory: () => process.cwd(),
  getCompilationSettings: () => ({ module: ts.ModuleKind.NodeNext, strict: true, types: [] }),
  getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
  fileExists: (name) => name === FILE || ts.sys.fileExists(name),
  readFile: (name) => ts.sys.readFile(name),
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories,
})
const hover = (name) =>
  ts.displayPartsToString(
    editor.getQuickInfoAtPosition(FILE, CODE.indexOf(name) + name.indexOf('.') + 1)?.displayParts,
  )
const offered = editor.getCompletionsAtPosition(FILE, CODE.indexOf("=== ''") + "=== '".length, {})
console.log(
  JSON.stringify({
    hovers: ['children.read', 'charts.recent', 'devlogs.upload'].map(hover),
    texts: offered?.entries.map(({ name }) => name),
  }),
)
