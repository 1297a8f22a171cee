import type { Language } from '../../delivery/messages.ts'
import { escaped, renderPage } from '../../http/html-page.ts'

/** The content of the page: the form (plain, or with what was wrong), the end, or why the link leads nowhere. */
export type ResetPageState =
  | 'live'
  | 'sent'
  | 'length'
  | 'mismatch'
  | 'code invalid'
  | 'code expired'
  | 'not sent'
  | 'failed'
  | 'done'
  | 'used'
  | 'expired'
  | 'unknown'

interface Words {
  title: string
  password: string
  hint: string
  repeated: string
  save: string
  /** The sentence above the form. */
  alert: Record<'length' | 'mismatch' | 'code invalid' | 'code expired' | 'not sent' | 'failed', string>
  /** The step that proves the phone, where the address of the account is not confirmed. */
  code: Record<'why' | 'send' | 'again' | 'label' | 'sent', string>
  /** Heading and advice of the states without a form. */
  end: Record<'done' | 'used' | 'expired' | 'unknown', readonly [heading: string, advice: string]>
}

const words: Record<Language, Words> = {
  en: {
    title: 'Choose a new password',
    password: 'New password',
    hint: '8 to 128 characters of any kind.',
    repeated: 'New password again',
    save: 'Save the password',
    alert: {
      length: 'The password must have 8 to 128 characters.',
      mismatch: 'The two passwords are not the same.',
      'code invalid': 'The code is not right. Enter the newest one, or send another.',
      'code expired': 'The code is older than 3 minutes. Send another one.',
      'not sent': 'The SMS could not be sent. Please try again in a minute.',
      failed: 'That did not work. Please try again in a minute.',
    },
    code: {
      why: 'This e-mail address has not been confirmed yet, so we also ask for a code that we send to the phone of the account.',
      send: 'Send the code by SMS',
      again: 'Send another code',
      label: 'Code from the SMS',
      sent: 'The code is on its way. It is valid for 3 minutes.',
    },
    end: {
      done: [
        'Your password is changed',
        'You are signed out everywhere. Open the app and sign in with the new password.',
      ],
      used: [
        'This link has been used',
        'A link works once. Open the app and sign in with your new password. If you need another one, choose “Forgot your password?” in the app; a new mail comes at once.',
      ],
      expired: [
        'This link has expired',
        'A link works for 30 minutes. Open the app and choose “Forgot your password?”; a new mail comes at once.',
      ],
      unknown: [
        'This link is not complete',
        'Open the link in the mail again. If that does not help, open the app and choose “Forgot your password?”; a new mail comes at once.',
      ],
    },
  },
  ko: {
    title: '새 비밀번호 설정',
    password: '새 비밀번호',
    hint: '문자 종류에 관계없이 8자 이상 128자 이하로 입력하세요.',
    repeated: '새 비밀번호 확인',
    save: '비밀번호 저장',
    alert: {
      length: '비밀번호는 8자 이상 128자 이하여야 합니다.',
      mismatch: '두 비밀번호가 서로 다릅니다.',
      'code invalid': '인증번호가 올바르지 않습니다. 가장 최근에 받은 번호를 입력하거나 다시 받아 주세요.',
      'code expired': '인증번호를 받은 지 3분이 지났습니다. 다시 받아 주세요.',
      'not sent': '문자를 보내지 못했습니다. 잠시 후 다시 시도해 주세요.',
      failed: '처리하지 못했습니다. 잠시 후 다시 시도해 주세요.',
    },
    code: {
      why: '아직 확인되지 않은 이메일 주소입니다. 그래서 계정의 휴대전화로 보내는 인증번호도 함께 확인합니다.',
      send: '문자로 인증번호 받기',
      again: '인증번호 다시 받기',
      label: '문자로 받은 인증번호',
      sent: '인증번호를 보냈습니다. 3분 안에 입력해 주세요.',
    },
    end: {
      done: [
        '비밀번호가 변경되었습니다',
        '모든 기기에서 로그아웃되었습니다. 앱을 열고 새 비밀번호로 로그인하세요.',
      ],
      used: [
        '이미 사용한 링크입니다',
        '링크는 한 번만 사용할 수 있습니다. 앱을 열고 새 비밀번호로 로그인하세요. 다시 변경하려면 앱에서 ‘비밀번호를 잊으셨나요?’를 선택하면 새 메일을 바로 보내 드립니다.',
      ],
      expired: [
        '만료된 링크입니다',
        '링크는 30분 동안만 사용할 수 있습니다. 앱에서 ‘비밀번호를 잊으셨나요?’를 선택하면 새 메일을 바로 보내 드립니다.',
      ],
      unknown: [
        '올바르지 않은 링크입니다',
        '메일에 있는 링크를 다시 열어 주세요. 그래도 열리지 않으면 앱에서 ‘비밀번호를 잊으셨나요?’를 선택하세요. 새 메일을 바로 보내 드립니다.',
      ],
    },
  },
}

/** The whole page, as HTML. `needsCode`: whether the phone of the account is to be proven too. */
export function renderResetPage(
  language: Language,
  state: ResetPageState,
  link: { token: string; needsCode: boolean },
): string {
  const said = words[language]
  return isEnd(state)
    ? renderPage(language, said.end[state][0], `<p>${said.end[state][1]}</p>`)
    : renderPage(language, said.title, form(said, state, link))
}

const isEnd = (state: ResetPageState): state is keyof Words['end'] => state in words.en.end

function form(
  said: Words,
  state: Exclude<ResetPageState, keyof Words['end']>,
  { token, needsCode }: { token: string; needsCode: boolean },
): string {
  const isAlert = state !== 'live' && state !== 'sent'
  const alert = isAlert ? `<p role="alert" id="alert">${said.alert[state]}</p>` : ''
  const status = state === 'sent' ? `<p role="status">${said.code.sent}</p>` : ''
  const ofCode = state === 'code invalid' || state === 'code expired'
  const invalid = state === 'length' || state === 'mismatch' ? ' aria-invalid="true"' : ''
  const described = `aria-describedby="${isAlert ? 'alert hint' : 'hint'}"`
  // The action is relative: the service may live below a path of its host. The service says in the page's language what is
  // wrong; a browser would say it in its own.
  const begin = `<form method="post" action="reset-password" novalidate>
<input type="hidden" name="token" value="${escaped(token)}">`
  // A form of its own: the first button of a form is the one that the Enter key presses.
  const ask = needsCode
    ? `<p>${said.code.why}</p>
${begin}
<button name="send" value="code" class="quiet">${state === 'live' ? said.code.send : said.code.again}</button>
</form>
`
    : ''
  const code = needsCode
    ? `<label for="validnum">${said.code.label}</label>
<input id="validnum" name="validnum" inputmode="numeric" autocomplete="one-time-code" maxlength="6" required${ofCode ? ' aria-invalid="true" aria-describedby="alert"' : ''}>
`
    : ''
  return `${alert}${status}
${ask}${begin}
${code}<label for="password">${said.password}</label>
<small id="hint">${said.hint}</small>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="8" required ${described}${invalid}>
<label for="repeated">${said.repeated}</label>
<input id="repeated" name="repeated" type="password" autocomplete="new-password" minlength="8" required${invalid}>
<button>${said.save}</button>
</form>`
}
