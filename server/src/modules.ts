interface Module {
  name: string
  /** What belongs into it; of a module of operations, the description of its tag in the OpenAPI document. */
  purpose: string
  /** Whether it may import types, and no more, from the modules above it. */
  mayImportTypes?: true
}

/**
 * The folders of `server/src`, from top to bottom: each may import from those that are listed after it, and from no other. The
 * imports' check, the picture's and the OpenAPI document read this list.
 */
export const modules: readonly Module[] = [
  { name: 'commands', purpose: "The operator's commands" },
  { name: 'demo', purpose: 'The demo family and clinic' },

  { name: 'fhir', purpose: 'Records for other systems, as FHIR R4' },

  // Modules of operations.
  { name: 'webhooks', purpose: 'Where a service is told that there are changes' },
  { name: 'changes', purpose: 'What has changed since the last look' },
  { name: 'oauth', purpose: 'The OAuth authorization server, with the page on which parents consent' },
  { name: 'grants', purpose: 'The services that the account has let in' },
  { name: 'clinics', purpose: 'The clinics that parents have let in, who works there, and their children' },
  { name: 'shares', purpose: 'Who may see a child besides its owner, and who has' },
  { name: 'reports', purpose: 'Reports as files' },
  { name: 'calendar', purpose: 'Days with treatments, and the notes of a day (events)' },
  { name: 'surveys', purpose: 'Scores of answered surveys' },
  { name: 'charts', purpose: 'Use, intensity and movement of one child over time' },
  { name: 'nights', purpose: 'How the nights of one child go' },
  { name: 'plans', purpose: 'What is planned for the nights of one child' },
  { name: 'treatments', purpose: 'What the devices of one child recorded' },
  { name: 'account', purpose: 'The signed-in account holder (root user)' },
  { name: 'children', purpose: 'Child accounts (real users)' },
  { name: 'basestations', purpose: 'Base stations and what they measure' },
  { name: 'firmware', purpose: 'New firmware for devices, in steps' },
  { name: 'devlogs', purpose: 'The nights that devices upload, as usage logs' },
  { name: 'devices', purpose: 'The devices that children wear' },
  { name: 'auth', purpose: 'Phone verification, sign-up, sign-in and sessions' },
  { name: 'trail', purpose: "The record of access to children's data" },

  // The ground that they stand on.
  { name: 'fhir-resources', purpose: 'Rows as resources of FHIR' },
  { name: 'openapi', purpose: 'The OpenAPI document and its pages' },
  { name: 'http', purpose: 'Express and tRPC' },
  { name: 'limits', purpose: 'Rate limits of callers', mayImportTypes: true },
  { name: 'telemetry', purpose: 'Log, metrics, traces', mayImportTypes: true },
  { name: 'delivery', purpose: 'Calls to other services', mayImportTypes: true },
  { name: 'retention', purpose: 'Removing what has served its time' },
  {
    name: 'encrypted-columns',
    purpose: 'Which columns are encrypted, finding rows by them, and encrypting them with another key',
  },
  { name: 'database', purpose: 'Connections, migrations, SQL functions', mayImportTypes: true },
  { name: 'entities', purpose: 'The tables as types' },
  { name: 'embedded-postgres', purpose: 'A PostgreSQL that the service runs itself' },
  { name: 'config', purpose: 'Reading `process.env`' },
  { name: 'encryption', purpose: 'Keys of personal columns' },
  { name: 'threads', purpose: 'Worker threads' },
  { name: 'time', purpose: 'Dates, periods, and work that is repeated' },
  { name: 'errors', purpose: 'What a caller did wrong, as an exception' },
]
