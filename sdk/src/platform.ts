declare const document: unknown
declare const navigator: { product?: string } | undefined

/** Where this package runs: where pages and apps do, one process serves one person; on a server, many. */
export function detectPlatform(): 'react-native' | 'browser' | 'server' {
  if (typeof navigator !== 'undefined' && navigator.product === 'ReactNative') return 'react-native'
  return typeof document === 'undefined' ? 'server' : 'browser'
}
