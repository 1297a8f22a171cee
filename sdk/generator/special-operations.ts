import type { OperationPath } from '@companion/server/router'
import type { Operation } from './document.ts'

/** What a method has that server/openapi.json does not say. */
interface Special {
  /** Has no method: the client calls it by itself. */
  isHidden?: true
  /** The type in src/types.ts of what the method takes, where its name is not made by the rule, or it is narrowed. */
  input?: string
  /** The type in src/types.ts of what the method answers. */
  output?: string
  /** The field of the procedure's input that the method fills in by itself. */
  hides?: string
  /** How the method sends what it takes, of src/method-kinds.ts. */
  kind?: string
  /** The type of the method's options, there too. */
  options?: string
  /** What a file is called where a browser hides the name that the service gives it. */
  fileName?: string
  /** The name of a method that goes through all that pages of this one response, where it is not made by the rule. */
  follows?: { name: string; kind: string; options: string; doc: string[] }
  /** The outbox sends it, and must know which of its errors are final. */
  isQueued?: true
  /** What only callers of the SDK need to know. */
  note?: string
}

const otherPhone = "On the account's other phone, `onSignedOut('duplicate_login')` follows within 15 minutes."

/** Everything about the SDK's methods that is not generated from the service's own description of its operations. */
const specialOperations: Partial<Record<string, Special>> = {
  'auth.listPhoneCountries': { output: 'PhoneCountry[]' },
  'auth.verifyPhone': { output: 'VerifiedPhone' },
  'auth.findAccount': { output: 'FoundAccount' },
  'auth.signUp': {
    input: 'SignUpInput',
    note: 'Put the response of `auth.verifyPhone` and the data of the account together: `signUp({ ...verified, email, password, … })`.',
  },
  'auth.socialSignUp': {
    input: 'SocialSignUpInput',
    note: 'Put the response of `auth.verifyPhone` and the data of the account together, as for `auth.signUp`.',
  },
  'auth.signIn': { note: otherPhone },
  'auth.socialSignIn': { note: otherPhone },
  'auth.refresh': { isHidden: true },
  'auth.signOut': {
    note: 'Without network the call fails and the session stays; `session.signOut()` then ends it on this phone alone.',
  },
  'account.me': { output: 'Account' },
  'account.update': { output: 'UpdatedAccount' },
  'account.updatePolicy': { output: 'Policy' },
  'account.updateNotifications': { output: 'Notifications' },
  'account.giveConsent': { output: 'Consent' },
  'account.listConsents': { output: 'Consent[]' },
  'account.exportData': {
    fileName: 'companion.zip',
    note: 'Years of data take longer than other calls: give it a `timeout` of some minutes.',
  },
  'children.create': { output: 'CreatedChild' },
  'children.list': { output: 'ListedChild[]' },
  'children.read': { output: 'Child' },
  'children.update': { output: 'Child', input: 'UpdateChildInput', hides: 'id', kind: 'childUpdateMethod' },
  'shares.invite': { output: 'Invitation' },
  'shares.accept': { output: 'AcceptedShare' },
  'shares.list': { output: 'Shares' },
  'shares.access': { output: 'ShareAccessPage' },
  'grants.list': { output: 'Grant[]' },
  'devices.list': { output: 'Device[]' },
  'devices.connect': { output: 'ConnectedDevice' },
  'devices.rename': { output: 'ConnectedDevice' },
  'devices.time': { output: 'DeviceTime' },
  'firmware.check': { output: 'FirmwareCheck' },
  'firmware.download': { fileName: 'firmware.bin' },
  'firmware.report': {
    isQueued: true,
    note: '`outbox.reportFirmware` does the same with or without network.',
  },
  // A device has no SDK.
  'firmware.checkAsDevice': { isHidden: true },
  'firmware.downloadAsDevice': { isHidden: true },
  'firmware.reportAsDevice': { isHidden: true },
  'basestations.list': { output: 'Basestation[]' },
  'basestations.connect': { output: 'ConnectedBasestation' },
  'devlogs.upload': {
    output: 'DevlogsUploaded',
    input: 'Devlog',
    kind: 'devlogUploadMethod',
    options: 'UploadOptions',
    isQueued: true,
    note: 'With the option `lenient`, the service stores the good logs and sets the bad ones aside; `results` then tells which are which.',
  },
  'devlogs.delete': { input: 'DeleteDevlogsInput' },
  'devlogs.history': { output: 'DeviceHistory', input: 'DeviceHistoryInput' },
  'devlogs.detail': { output: 'DeviceDay', input: 'DeviceDayInput' },
  'devlogs.export': { input: 'ExportDevlogsInput', fileName: 'devlogs.xlsx' },
  'basestations.uploadEnvironment': { input: 'EnvironmentReading' },
  'changes.list': {
    output: 'Changes',
    input: 'ListChangesInput',
    follows: {
      name: 'follow',
      kind: 'createFollowMethod',
      options: 'FollowOptions',
      doc: [
        'Goes through the changes behind a cursor, one by one, and waits for more: `for await (const change of companion.changes.follow({ after, save }))`.',
        'It asks again every 5 seconds, also while the service cannot be reached. After `signal` the loop ends.',
        '@throws `CursorLost` where changes behind the cursor are no longer kept (90 days)',
      ],
    },
  },
  'webhooks.create': { output: 'WebhookWithSecret' },
  'webhooks.list': { output: 'Webhook[]' },
  'webhooks.rotateSecret': { output: 'WebhookWithSecret' },
  'webhooks.enable': { output: 'Webhook' },
  'treatments.list': { output: 'TreatmentPage', input: 'ListTreatmentsInput' },
  'charts.recent': { output: 'RecentChart', input: 'RecentChartInput' },
  'charts.analysis': { output: 'AnalysisChart', input: 'AnalysisChartInput' },
  'surveys.submit': { output: 'SubmittedSurvey' },
  'surveys.latest': { output: 'LatestSurveys', input: 'LatestSurveysInput' },
  'calendar.readDay': { output: 'CalendarDay' },
  'calendar.history': { output: 'CalendarHistory', input: 'CalendarHistoryInput' },
  'calendar.saveEvent': {
    output: 'SavedEvent',
    input: 'SaveEventInput',
    isQueued: true,
    note: '`outbox.saveEvent` does the same with or without network.',
  },
  'reports.pdf': { input: 'ReportInput', fileName: 'report.pdf' },
  'reports.exportPdf': { input: 'ExportReportInput', fileName: 'report.pdf' },
} satisfies Partial<Record<OperationPath, Special>>

export const specialOf = ({ operationId }: Operation): Special => specialOperations[operationId] ?? {}
