// What an editor shows of the package over methods, by the named compiler.
const { default: ts } = await import(process.argv[2])

const FILE = `${process.cwd()}/editor.ts`
const CODE = `import { createCompanion } from '@companion/sdk'
const companion = createCompanion({ baseUrl: 'https://companion.test' })
companion.children.read({ real_user_id: 1 })
companion.charts.recent({ real_user_id: 1 })
companion.devlogs.upload([])
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
console.log(JSON.stringify(['children.read', 'charts.recent', 'devlogs.upload'].map(hover)))
