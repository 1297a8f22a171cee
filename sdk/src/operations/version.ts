/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

export const VERSION = '0.1.0'
