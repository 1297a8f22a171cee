import type { RequestListener } from 'node:http'
import cors from 'cors'
import helmet from 'helmet'
import type { Config } from '../config/config.ts'

/**
 * Says with every answer of `listener` what a browser may do with it, and lets pages of the configured origins call.
 * Nothing is sent by itself with such a call: tokens travel in a header, there are no cookies.
 */
export function tellBrowsers(
  { publicUrl, corsOrigins }: Pick<Config, 'publicUrl' | 'corsOrigins'>,
  listener: RequestListener,
): RequestListener {
  const secure = helmet({
    // JSON loads nothing and is shown nowhere; pages replace this by a policy of their own.
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    // Only who is reached by https may insist on it.
    strictTransportSecurity: publicUrl?.startsWith('https:') ?? false,
    xFrameOptions: { action: 'deny' },
    // These say something of pages only, or to browsers that are no more; each header costs a small answer dear.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    // Nobody sets it here.
    xPoweredBy: false,
  })
  const allow = cors({
    origin: corsOrigins.includes('*') ? '*' : [...corsOrigins],
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: ['X-Request-Id', 'Retry-After', 'ETag', 'Content-Disposition'],
    maxAge: 600,
  })
  return (request, response) => {
    // Health data and tokens (RFC 6749, 5.1) are for nobody to keep; what may be kept says so itself.
    response.setHeader('cache-control', 'no-store')
    secure(request, response, () => {
      // An OPTIONS that is no preflight asks for `Allow`.
      const isPlain = request.method === 'OPTIONS' && !request.headers['access-control-request-method']
      if (corsOrigins.length === 0 || isPlain) listener(request, response)
      else allow(request, response, () => listener(request, response))
    })
  }
}
