import { VERSION } from './operations/version.ts'
import { detectPlatform } from './platform.ts'

/** The header that tells the service which program calls: `my-app/1.2 companion-sdk/0.1.0 (browser)`. */
export function clientHeader(app: string | undefined): { 'x-client': string } {
  if (app !== undefined && !/^[\w.-]+\/[\w.+-]+$/.test(app))
    throw new TypeError('client must be like my-app/1.2')
  return { 'x-client': `${app === undefined ? '' : `${app} `}companion-sdk/${VERSION} (${detectPlatform()})` }
}
