/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

/**
 * Operations sent without an access token, those of devices among them. An upload could carry one, but then a session
 * that has ended would keep logs from reaching the service.
 */
export const NEEDS_NO_SESSION: ReadonlySet<string> = new Set([
  'auth.listPhoneCountries',
  'auth.sendSmsCode',
  'auth.verifyPhone',
  'auth.requestPasswordReset',
  'auth.confirmPasswordReset',
  'auth.confirmEmail',
  'auth.findAccount',
  'auth.openClinicianInvitation',
  'auth.passkeySignInOptions',
  'devices.time',
  'basestations.uploadEnvironment',
  'devlogs.upload',
  'devlogs.delete',
  'devlogs.history',
  'devlogs.detail',
  'devlogs.export',
])

/** Operations that answer a file: where, of which type, and what it is called where a browser hides its name. */
export const FILES: Readonly<Partial<Record<string, Record<'method' | 'url' | 'type' | 'name', string>>>> = {
  'account.exportData': {
    method: 'POST',
    url: '/api/v1/beta/user/export',
    type: 'application/zip',
    name: 'companion.zip',
  },
  'firmware.download': {
    method: 'GET',
    url: '/api/v1/beta/ota/file',
    type: 'application/octet-stream',
    name: 'firmware.bin',
  },
  'devlogs.export': {
    method: 'GET',
    url: '/api/v1/gamma/device/export',
    type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    name: 'devlogs.xlsx',
  },
  'reports.pdf': {
    method: 'GET',
    url: '/api/v1/beta/pdf/report',
    type: 'application/pdf',
    name: 'report.pdf',
  },
  'reports.exportPdf': {
    method: 'GET',
    url: '/api/v1/beta/pdf/export',
    type: 'application/pdf',
    name: 'report.pdf',
  },
}

/** The errors by which the service says that it will never take what the outbox sends, beside those of validation (422). */
export const PERMANENT_ERRORS: Readonly<Partial<Record<string, readonly string[]>>> = {
  'firmware.report': ['401 Not authorized user', '404 Not Found Device', '404 Firmware not found'],
  'devlogs.upload': ['401 Not authorized user', '404 Not Found Device', '409 Not Connected Device'],
  'calendar.saveEvent': [
    '400 Failed to store user event',
    '401 Not authorized user',
    '404 Event not found',
    '404 Real User id is not valid',
    '412 Event was changed meanwhile',
  ],
}
