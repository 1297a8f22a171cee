import type { Language } from '../../delivery/messages.ts'
import { escaped, renderPage } from '../../http/html-page.ts'
import type { ContextScope } from '../../http/scope-names.ts'
import type { Scope } from '../../http/scope.ts'

/** The service that asks. */
export interface RequestingClient {
  name: string
  publisher: string
  url: string
}

/** How long a parent can let a service in, in days; null until they end it. */
export const grantPeriodDays = { month: 30, year: 365, always: null } as const
export type GrantPeriod = keyof typeof grantPeriodDays
export const isPeriod = (text: string): text is GrantPeriod => text in grantPeriodDays

/** What kept somebody from signing in. */
const signInIssues = [
  'wrong',
  'no email',
  'stranger',
  'many',
  'blocked',
  'deleted',
  'incomplete',
  'failed',
] as const
export type SignInIssue = (typeof signInIssues)[number]
export const isSignInIssue = (text: unknown): text is SignInIssue =>
  signInIssues.some((each) => each === text)
export type ConsentIssue = 'children' | 'one child' | 'scopes' | 'failed'

/** The field of a form whose scopes the parent could refuse one by one. */
export const SCOPES_CHOSEN = 'scopes_chosen'

interface Words {
  signIn: (name: string) => string
  signInFor: (asking: RequestingClient) => string
  email: string
  password: string
  next: string
  forgot: string
  /** After that, whether the address is known or not. */
  mailed: string
  /** Signs in by a social provider. */
  byProvider: (provider: string) => string
  decline: string
  signInIssue: Record<SignInIssue, string>
  title: (name: string) => string
  by: (asking: RequestingClient) => string
  wants: string
  /** Above scopes that can be refused one by one. */
  choose: string
  scopes: Record<Scope, string>
  context: Record<ContextScope, string>
  children: string
  noChild: string
  until: string
  periods: Record<GrantPeriod, string>
  end: string
  allow: string
  consentIssue: Record<ConsentIssue, string>
  signedInAs: (email: string) => string
  other: string
  refused: readonly [heading: string, advice: string]
  gone: readonly [heading: string, advice: string]
  reason: string
}

const providerNames: Record<string, Record<Language, string>> = {
  google: { en: 'Google', ko: 'Google' },
  apple: { en: 'Apple', ko: 'Apple' },
  kakao: { en: 'Kakao', ko: '카카오' },
}

const words: Record<Language, Words> = {
  en: {
    signIn: () => 'Sign in to Companion',
    signInFor: ({ name, publisher }) =>
      `${name} by ${publisher} asks to see records of your child. Sign in, then choose what it may see. ${name} never learns your password.`,
    email: 'E-mail',
    password: 'Password',
    next: 'Sign in',
    forgot: 'Forgot your password?',
    mailed:
      'If an account has this address, a mail with a link for a new password is on its way. Then sign in here.',
    byProvider: (provider) => `Sign in with ${providerNames[provider]?.en ?? provider}`,
    decline: 'Do not allow',
    signInIssue: {
      wrong: 'E-mail or password is not right.',
      'no email': 'Enter your e-mail address first.',
      stranger: 'Nobody has signed up with this account. Please sign up in the app first.',
      many: 'There were too many attempts. Please wait a few minutes.',
      blocked: 'This account is blocked.',
      deleted: 'This account was deleted.',
      incomplete: 'Please sign in to the app first and complete your sign-up.',
      failed: 'That did not work. Please try again in a minute.',
    },
    title: (name) => `Allow ${name}?`,
    by: ({ name, publisher, url }) => `${name} is a service of ${publisher} (${url}).`,
    wants: 'It asks to',
    choose: 'What may it do? Untick what you do not want to allow; at least one kind of record must stay.',
    scopes: {
      'child:read': 'see the name, birth date and gender of the child',
      'usage:read': 'see when and how the device was used',
      'notes:read': 'read your notes: memos, medication and hospital visits',
      'notes:write': 'write and change notes of a day',
      'surveys:read': 'see the results of surveys',
      'reports:read': 'get the reports as PDF',
      offline_access: 'keep this access while you are not using the service',
    },
    context: {
      openid: 'recognize you when you come again',
      fhirUser: 'recognize you when you come again',
      'launch/patient': 'know which one child you choose',
      online_access: 'keep this access while you are signed in here',
    },
    children: 'For which child?',
    noChild: 'There is no child in this account yet.',
    until: 'For how long?',
    periods: { month: '30 days', year: '1 year', always: 'Until I end it' },
    end: 'You can end this at any time in the app, under “Connected apps”.',
    allow: 'Allow',
    consentIssue: {
      children: 'Please choose at least one child.',
      'one child': 'Please choose only one child.',
      scopes: 'Please choose at least one kind of record.',
      failed: 'That did not work. Please try again in a minute.',
    },
    signedInAs: (email) => `You are signed in as ${email}.`,
    other: 'Use another account',
    refused: [
      'This request cannot be answered',
      'The service that sent you here has made a mistake. Go back to it and try again; if it happens again, tell its support what is written below.',
    ],
    gone: [
      'This page is out of date',
      'It was open for too long, or in another browser. Go back to the service that sent you here and begin again.',
    ],
    reason: 'Reason',
  },
  ko: {
    signIn: () => 'Companion 로그인',
    signInFor: ({ name, publisher }) =>
      `${publisher}의 ${name}에서 자녀의 기록을 보려고 합니다. 로그인한 뒤 무엇을 볼 수 있는지 선택하세요. ${name}에는 비밀번호가 전달되지 않습니다.`,
    email: '이메일',
    password: '비밀번호',
    next: '로그인',
    forgot: '비밀번호를 잊으셨나요?',
    mailed:
      '이 주소로 가입한 계정이 있으면 새 비밀번호를 설정할 링크를 메일로 보내 드립니다. 그런 다음 여기에서 로그인하세요.',
    byProvider: (provider) => `${providerNames[provider]?.ko ?? provider} 계정으로 로그인`,
    decline: '허용 안 함',
    signInIssue: {
      wrong: '이메일 또는 비밀번호가 올바르지 않습니다.',
      'no email': '먼저 이메일 주소를 입력해 주세요.',
      stranger: '이 계정으로 가입한 기록이 없습니다. 먼저 앱에서 가입해 주세요.',
      many: '시도 횟수가 너무 많습니다. 몇 분 뒤에 다시 시도해 주세요.',
      blocked: '차단된 계정입니다.',
      deleted: '삭제된 계정입니다.',
      incomplete: '먼저 앱에 로그인하여 가입을 완료해 주세요.',
      failed: '처리하지 못했습니다. 잠시 후 다시 시도해 주세요.',
    },
    title: (name) => `${name}에 허용하시겠습니까?`,
    by: ({ name, publisher, url }) => `${name}: ${publisher}의 서비스입니다 (${url}).`,
    wants: '요청하는 권한',
    choose:
      '무엇을 허용하시겠습니까? 원하지 않는 항목은 선택을 해제하세요. 기록 항목은 하나 이상 남아 있어야 합니다.',
    scopes: {
      'child:read': '자녀의 이름, 생년월일, 성별 보기',
      'usage:read': '기기를 언제 어떻게 사용했는지 보기',
      'notes:read': '기록한 메모, 복용한 약, 방문한 병원 보기',
      'notes:write': '하루의 메모를 쓰고 변경하기',
      'surveys:read': '설문 결과 보기',
      'reports:read': '보고서를 PDF로 받기',
      offline_access: '서비스를 사용하지 않는 동안에도 계속 접근하기',
    },
    context: {
      openid: '다시 방문했을 때 보호자 알아보기',
      fhirUser: '다시 방문했을 때 보호자 알아보기',
      'launch/patient': '선택한 자녀 한 명이 누구인지 알기',
      online_access: '여기에 로그인되어 있는 동안 계속 접근하기',
    },
    children: '어느 자녀의 기록을 허용하시겠습니까?',
    noChild: '이 계정에는 아직 자녀가 없습니다.',
    until: '언제까지 허용하시겠습니까?',
    periods: { month: '30일', year: '1년', always: '직접 종료할 때까지' },
    end: '앱의 ‘연결된 앱’에서 언제든지 종료할 수 있습니다.',
    allow: '허용',
    consentIssue: {
      children: '자녀를 한 명 이상 선택해 주세요.',
      'one child': '자녀를 한 명만 선택해 주세요.',
      scopes: '기록 항목을 하나 이상 선택해 주세요.',
      failed: '처리하지 못했습니다. 잠시 후 다시 시도해 주세요.',
    },
    signedInAs: (email) => `${email} 계정으로 로그인되어 있습니다.`,
    other: '다른 계정 사용',
    refused: [
      '처리할 수 없는 요청입니다',
      '이 페이지로 보낸 서비스에서 잘못된 요청을 보냈습니다. 해당 서비스로 돌아가 다시 시도하세요. 계속되면 아래 내용을 서비스 고객 지원에 알려 주세요.',
    ],
    gone: [
      '만료된 페이지입니다',
      '너무 오래 열려 있었거나 다른 브라우저에서 열었습니다. 이 페이지로 보낸 서비스로 돌아가 다시 시작해 주세요.',
    ],
    reason: '사유',
  },
}

const alertOf = (text: string | undefined) => (text ? `<p role="alert" id="alert">${text}</p>` : '')

/** The buttons of a form; the last one says no, and is sent without checking what was filled in. */
const buttons = (yes: string | undefined, no: string) =>
  `${yes ? `<button name="action" value="go">${yes}</button>\n` : ''}<button class="quiet" name="action" value="decline" formnovalidate>${no}</button>`

interface SignIn {
  asking: RequestingClient
  email: string
  issue: SignInIssue | undefined
  /** Whether a mail for a new password was asked for. */
  isMailed: boolean
  /** The social providers, with the address that leads to each. */
  providers: readonly { name: string; url: string }[]
}

/** The page for signing in before a consent, as HTML. */
export function renderSignIn(
  language: Language,
  { asking, email, issue, isMailed, providers }: SignIn,
): string {
  const said = words[language]
  // Links, because a form may lead nowhere but to the service that asks.
  const ways = providers.map(
    ({ name, url }) => `<a class="button quiet" href="${escaped(url)}">${escaped(said.byProvider(name))}</a>`,
  )
  const invalid = issue === 'wrong' ? ' aria-invalid="true" aria-describedby="alert"' : ''
  return renderPage(
    language,
    said.signIn(asking.name),
    `<p>${escaped(said.signInFor(asking))}</p>
${alertOf(issue && said.signInIssue[issue])}${isMailed ? `<p role="status">${said.mailed}</p>` : ''}
<form method="post">
<label for="email">${said.email}</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${escaped(email)}"${invalid}>
<label for="password">${said.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${invalid}>
<button name="action" value="go">${said.next}</button>
<button class="quiet" name="action" value="forgot" formnovalidate>${said.forgot}</button>
${buttons(undefined, said.decline)}
</form>
${ways.join('\n')}`,
  )
}

/** What a parent decides about. */
export interface ConsentQuestion {
  asking: RequestingClient
  scopes: readonly Scope[]
  /** What it asks for besides data. */
  context: readonly ContextScope[]
  /** What of them the parent allows so far. */
  allowed: ReadonlySet<Scope>
  /** The parent's own children. */
  children: readonly { id: number; first_name: string }[]
  email: string
  chosen: ReadonlySet<number>
  period: GrantPeriod
  issue: ConsentIssue | undefined
}

/** The page for the consent, as HTML. */
export function renderConsent(language: Language, question: ConsentQuestion): string {
  const { asking, scopes, context, allowed, children, email, chosen, period, issue } = question
  const kind = context.includes('launch/patient') ? 'radio' : 'checkbox'
  const said = words[language]
  const choices = children.map(
    ({ id, first_name }) =>
      `<label class="choice"><input type="${kind}" name="child" value="${id}"${chosen.has(id) ? ' checked' : ''}> ${escaped(first_name)}</label>`,
  )
  const ends = Object.entries(said.periods).map(
    ([value, text]) =>
      `<label class="choice"><input type="radio" name="period" value="${value}"${value === period ? ' checked' : ''}> ${text}</label>`,
  )
  const described = (...issues: ConsentIssue[]) =>
    issue && issues.includes(issue) ? ' aria-describedby="alert"' : ''
  const boxes = scopes.map(
    (scope) =>
      `<label class="choice"><input type="checkbox" name="scope" value="${scope}"${allowed.has(scope) ? ' checked' : ''}> ${said.scopes[scope]}</label>`,
  )
  const asked =
    scopes.length > 1 && children.length > 0
      ? `<input type="hidden" name="${SCOPES_CHOSEN}" value="1">
<fieldset${described('scopes')}><legend>${said.choose}</legend>
${boxes.join('\n')}
</fieldset>
`
      : ''
  const wanted = new Set([
    ...(asked ? [] : scopes.map((scope) => said.scopes[scope])),
    ...context.map((name) => said.context[name]),
  ])
  const list =
    wanted.size === 0
      ? ''
      : `<p id="wants">${said.wants}</p>
<ul aria-labelledby="wants">
${Array.from(wanted, (text) => `<li>${text}</li>`).join('\n')}
</ul>
`
  const choosing =
    children.length === 0
      ? `<p role="alert">${said.noChild}</p>`
      : `${asked}<fieldset${described('children', 'one child')}><legend>${said.children}</legend>
${choices.join('\n')}
</fieldset>
<fieldset><legend>${said.until}</legend>
${ends.join('\n')}
</fieldset>
<p class="how">${said.end}</p>`
  return renderPage(
    language,
    escaped(said.title(asking.name)),
    `<p>${escaped(said.by(asking))}</p>
${list}${alertOf(issue && said.consentIssue[issue])}
<form method="post">
${choosing}
${buttons(children.length === 0 ? undefined : said.allow, said.decline)}
</form>
<form method="post" class="how">
<p>${escaped(said.signedInAs(email))}</p>
<button class="quiet" name="action" value="other">${said.other}</button>
</form>`,
  )
}

/** The page for a request that leads nowhere: of a service's failure, or one that is too old. */
export function renderError(
  language: Language,
  out?: { error?: string; error_description?: string | undefined },
): string {
  const said = words[language]
  const [heading, advice] = out ? said.refused : said.gone
  const reason = out && [out.error, out.error_description].filter(Boolean).join(': ')
  return renderPage(
    language,
    heading,
    `<p>${advice}</p>${reason ? `\n<p>${said.reason}: <code>${escaped(reason)}</code></p>` : ''}`,
  )
}
