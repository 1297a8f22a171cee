import { modules } from './server/src/modules.ts'

const names = modules.map(({ name }) => name)
const folder = (...some) => `^server/src/(${some.join('|')})/`

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment:
        'Files that import each other in a circle cannot be read one by one: move what both need into a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolvable',
      comment:
        'There is no such file or package: a path ends with .ts, and a package is in the package.json beside the code.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    ...modules.slice(1).map(({ name, mayImportTypes = false }, n) => ({
      name: `${name}-imports-only-what-is-below`,
      comment: `server/src/modules.ts lists the modules from top to bottom. ${name} may import those after it, and ${
        mayImportTypes ? 'only types of' : 'none of'
      } those before it. Move what both need down, or pass it in (CONTRIBUTING.md, "Where code belongs").`,
      severity: 'error',
      from: { path: folder(name) },
      to: {
        path: folder(...names.slice(0, n + 1)),
        ...(mayImportTypes && { dependencyTypesNot: ['type-only'] }),
      },
    })),
    {
      name: 'modules-are-below-the-service',
      comment:
        'app.ts, service.ts, router.ts and main.ts put the modules together; only commands and the demo start the service.',
      severity: 'error',
      from: {
        path: folder(...names.filter((name) => !['commands', 'demo'].includes(name))),
        pathNot: '[.]test[.]ts$',
      },
      to: { path: '^server/src/(app|service|main|router)[.]ts$' },
    },
    {
      name: 'several-nodes-have-one-door',
      comment:
        'Only server/src/database/nodes knows that a database may lie on several nodes: import its index.ts, from within database or from a command. Operations ask the interface `Database`.',
      severity: 'error',
      from: { path: '^server/src/', pathNot: '^server/src/database/nodes/' },
      to: {
        path: '^server/src/database/nodes/',
        // The texts of the functions are made before anything is converted.
        pathNot: '^server/src/database/nodes/(index|distributed-function)[.]ts$',
      },
    },
    {
      name: 'operations-know-one-database',
      comment: 'Operations, http and the service ask the interface `Database`, whatever lies behind it.',
      severity: 'error',
      from: { path: '^server/src/', pathNot: '^server/src/(database|commands)/' },
      to: { path: '^server/src/database/nodes/' },
    },
    {
      name: 'only-the-demo-plays-a-device',
      comment: 'The server must run without the examples. Only its demo plays a device, with the simulator.',
      severity: 'error',
      from: { path: '^server/src/', pathNot: '^server/src/demo/|[.]test[.]ts$' },
      to: { path: '^examples/' },
    },
    {
      name: 'sdk-imports-types-alone',
      comment: 'Users of the SDK install it without the server: import with `import type`.',
      severity: 'error',
      from: { path: '^sdk/src/' },
      to: { path: '^server/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'examples-use-what-is-published',
      comment: 'An example shows what users can do: import @companion/sdk, not the server or the tests.',
      severity: 'error',
      from: { path: '^examples/' },
      to: { path: '^(server|test)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/|^examples/(clinic|parents-app|react-native)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import', 'default'] },
  },
}
