/** The languages in which the service speaks to parents. */
export type Language = 'ko' | 'en'

interface SmsParts {
  code: string
  /** Scheme and host of the service as the app knows them, to which phones bind the code. */
  origin: string
  /** The hash that Android derives from the app's name and signature. */
  appHash: string | undefined
}

const codeText: Record<Language, (code: string) => string> = {
  ko: (code) => `[Companion] 인증번호는 ${code}입니다. 3분 안에 입력해 주세요.`,
  en: (code) => `[Companion] Your verification code is ${code}. It is valid for 3 minutes.`,
}

/**
 * Builds the text of an SMS with a code. Phones can fill in the code by themselves: Android's SMS Retriever looks for
 * the app's hash, iOS and browsers for a last line of domain and code (WICG, "Origin-bound one-time codes").
 */
export const smsText = (language: Language, { code, origin, appHash }: SmsParts): string =>
  [codeText[language](code), ...(appHash ? [appHash] : []), `@${new URL(origin).hostname} #${code}`].join(
    '\n',
  )

/** The changes that the holder of an account is told of, because somebody else may have made them. */
export type Notice = 'phone_changed' | 'password_changed'

interface NoticeTexts {
  subject: string
  text: string
  /** The same in one SMS. */
  sms: string
}

const notices: Record<Language, Record<Notice, NoticeTexts>> = {
  ko: {
    phone_changed: {
      subject: 'Companion 계정의 전화번호가 변경되었습니다',
      text: `Companion 계정의 전화번호가 다른 번호로 변경되었습니다.

본인이 변경하셨다면 아무것도 하지 않으셔도 됩니다. 그렇지 않다면 지금 바로 앱의 로그인 화면에서 비밀번호를 재설정하세요.`,
      sms: '[Companion] 계정의 전화번호가 변경되었습니다. 본인이 아니라면 지금 바로 비밀번호를 재설정하세요.',
    },
    password_changed: {
      subject: 'Companion 비밀번호가 변경되었습니다',
      text: `Companion 계정의 비밀번호가 변경되었습니다.

본인이 변경하셨다면 아무것도 하지 않으셔도 됩니다. 그렇지 않다면 지금 바로 앱의 로그인 화면에서 비밀번호를 재설정하세요.`,
      sms: '[Companion] 비밀번호가 변경되었습니다. 본인이 아니라면 지금 바로 비밀번호를 재설정하세요.',
    },
  },
  en: {
    phone_changed: {
      subject: 'The phone number of your Companion account was changed',
      text: `The phone number of your Companion account was changed to another number.

If you did this, there is nothing to do. If you did not, reset your password now, on the sign-in screen of the app.`,
      sms: '[Companion] The phone number of your account was changed. If you did not do this, reset your password now.',
    },
    password_changed: {
      subject: 'Your Companion password was changed',
      text: `The password of your Companion account was changed.

If you did this, there is nothing to do. If you did not, reset your password now, on the sign-in screen of the app.`,
      sms: '[Companion] Your password was changed. If you did not do this, reset it now.',
    },
  },
}

export const noticeOf = (language: Language, notice: Notice): NoticeTexts => notices[language][notice]

/** Builds the mail with the link to reset a password. */
export const resetMail = (language: Language, link: string): { subject: string; text: string } =>
  language === 'ko'
    ? {
        subject: 'Companion 비밀번호 재설정',
        text: `비밀번호를 새로 설정하려면 30분 안에 아래 링크를 여세요.

${link}

링크는 한 번만 사용할 수 있습니다. 요청하지 않으셨다면 이 메일을 무시하세요. 비밀번호는 바뀌지 않습니다.`,
      }
    : {
        subject: 'Your new Companion password',
        text: `To choose a new password, open this link within 30 minutes:

${link}

It works once. If you did not ask for it, ignore this mail: your password stays as it is.`,
      }
