// What an editor shows of the package over methods, by the named compiler.
const { default: ts } = await import(process.argv[2])

const FILE = `${process.cwd()}/editor.ts`
const CODE = `import { createCompanion, safe } from '@companion/sdk'
const companion = createCompanion({ baseUrl: 'https://companion.test' })
companion.children.read({ real_user_id: 1 })
companion.charts.recent({ real_user_id: 1 })
companion.devlogs.upload([])
export async function later() {
  const [, ofChild] = await safe(companion.children.create(Object()))
  if (ofChild?.data?.detail === '') return
  const [, ofSignIn] = await safe(companion.auth.signIn(Object()))
  if (ofSignIn?.data?.detail === '') return
  if (ofChild?.data?.status === 409 && ofChild.data.detail === '') return
  const account = await companion.account.me()
  const [first] = await companion.children.list()
  return [account.is_device_muted, first?.role]
}
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
  realpath: ts.sys.realpath,
})
/** Where the last word of `phrase` begins. */
const place = (phrase) => CODE.indexOf(phrase) + phrase.search(/\w+$/)
const hover = (phrase) => {
  const { displayParts, documentation } = editor.getQuickInfoAtPosition(FILE, place(phrase)) ?? {}
  return {
    type: ts.displayPartsToString(displayParts),
    documentation: ts.displayPartsToString(documentation),
  }
}
const completion = (text) => {
  const { entries = [] } = editor.getCompletionsAtPosition(FILE, CODE.indexOf(text) + text.length, {}) ?? {}
  return entries.map(({ name, sortText }) => ({ name, sortText }))
}
// First of all: TypeScript remembers the order in which it has met texts.
const details = [
  "ofChild?.data?.detail === '",
  "ofSignIn?.data?.detail === '",
  "ofChild?.data?.status === 409 && ofChild.data.detail === '",
].map(completion)
const methods = ['children.read', 'charts.recent', 'devlogs.upload'].map(hover)
const fields = ['account.is_device_muted', 'first?.role'].map(hover)
console.log(JSON.stringify({ details, methods, fields }))
