/** Which room may import which; see CONTRIBUTING.md. Features are rooms of their own. */
const rooms = [
  'trail',
  'auth',
  'devices',
  'devlogs',
  'basestations',
  'children',
  'account',
  'treatments',
  'charts',
  'surveys',
  'calendar',
  'reports',
  'shares',
  'grants',
  'connections',
  'changes',
  'webhooks',
]
const features = `(${rooms.join('|')})`
const room = (name) => `^server/src/${name}/`

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'errors-know-nothing',
      severity: 'error',
      from: { path: room('errors') },
      to: { path: '^server/src/', pathNot: room('errors') },
    },
    {
      name: 'time-knows-only-errors',
      severity: 'error',
      from: { path: room('time') },
      to: { path: '^server/src/', pathNot: room('(time|errors)') },
    },
    {
      name: 'threads-know-only-errors',
      severity: 'error',
      from: { path: room('threads') },
      to: { path: '^server/src/', pathNot: room('(threads|errors)') },
    },
    {
      name: 'database-is-below-delivery-http-and-features',
      severity: 'error',
      from: { path: room('database') },
      to: {
        path: room(`(delivery|telemetry|limits|http|openapi|commands|demo|${features})`),
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'delivery-is-below-http-and-features',
      severity: 'error',
      from: { path: room('delivery') },
      to: {
        path: room(`(telemetry|limits|http|openapi|commands|demo|${features})`),
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'telemetry-and-limits-are-below-http-and-features',
      severity: 'error',
      from: { path: room('(telemetry|limits)') },
      to: { path: room(`(http|openapi|commands|demo|${features})`), dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'http-is-below-openapi-and-features',
      severity: 'error',
      from: { path: room('http') },
      to: { path: room(`(openapi|commands|demo|${features})`) },
    },
    {
      name: 'openapi-is-below-features',
      severity: 'error',
      from: { path: room('openapi') },
      to: { path: room(`(commands|demo|${features})`) },
    },
    {
      name: 'features-import-downwards-only',
      severity: 'error',
      from: { path: room(features) },
      to: { path: '^server/src/(app|service|main|router)[.]ts$|^server/src/(commands|demo)/' },
    },
    // Each feature may use those that the list above names before it.
    ...rooms.slice(0, -1).map((name, index) => ({
      name: `${name}-uses-earlier-features-only`,
      severity: 'error',
      from: { path: room(name) },
      to: { path: room(`(${rooms.slice(index + 1).join('|')})`) },
    })),
    {
      name: 'only-the-demo-plays-a-device',
      severity: 'error',
      from: { path: '^server/src/', pathNot: '^server/src/demo/|[.]test[.]ts$' },
      to: { path: '^examples/' },
    },
    {
      name: 'sdk-imports-types-alone',
      severity: 'error',
      from: { path: '^sdk/src/' },
      to: { path: '^server/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'examples-use-what-is-published',
      severity: 'error',
      from: { path: '^examples/' },
      to: { path: '^(server|test)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/dist/|^examples/(parents-app|react-native)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import', 'default'] },
  },
}
