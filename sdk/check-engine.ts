import { dirname, join, relative } from 'node:path'
import ts from 'typescript'

/*
 * Type-checks what is published against the library of the oldest engine that the README promises: Hermes of React Native
 * 0.76, which has ES2022 but for some of Intl. A newer method compiles to itself, so only this finds it before a phone does.
 * The server's sources, whose types these files import, may use the newer library of Node.js and are not judged.
 */
const file = join(import.meta.dirname, 'tsconfig.engine.json')
const { config } = ts.readConfigFile(file, (path) => ts.sys.readFile(path))
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(file))
const program = ts.createProgram(fileNames, options)
const issues = fileNames.flatMap((name) => {
  const source = program.getSourceFile(name)
  return source ? program.getSemanticDiagnostics(source) : []
})
if (issues.length > 0) {
  console.error(
    ts.formatDiagnostics(issues, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: () => process.cwd(),
      getNewLine: () => '\n',
    }),
  )
  process.exit(1)
}
console.log(
  `${fileNames.length} files need no newer engine than Hermes of React Native 0.76 (${relative('.', file)})`,
)
