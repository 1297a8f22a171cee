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
type PlainNotice =
  | 'phone_changed'
  | 'password_changed'
  | 'email_change_requested'
  | 'email_changed'
  | 'account_deleted'
  | 'passkey_added'

/** The same with the first name of the person, or the name of the service, that it is about. */
interface NamingNotice {
  kind:
    | 'member_added'
    | 'grant_added'
    | 'clinic_connected'
    | 'clinic_disconnected'
    | 'transfer_offered'
    | 'transfer_accepted'
  name: string
}

export type AccountNotice = PlainNotice | NamingNotice

interface NoticeTexts {
  subject: string
  text: string
  /** The same in one SMS. */
  sms: string
}

const notices: Record<Language, Record<PlainNotice, NoticeTexts>> = {
  ko: {
    phone_changed: {
      subject: 'Companion 계정의 전화번호가 변경되었습니다',
      text: `Companion 계정의 전화번호가 다른 번호로 변경되었습니다.

본인이 변경하셨다면 아무것도 하지 않으셔도 됩니다. 그렇지 않다면 지금 바로 앱의 로그인 화면에서 비밀번호를 재설정하세요.`,
      sms: '[Companion] 계정의 전화번호가 변경되었습니다. 본인이 아니라면 지금 바로 비밀번호를 재설정하세요.',
    },
    password_changed: {
      subject: 'Companion 비밀번호가 변경되었습니다',
      text: `Companion 계정의 비밀번호가 변경되었습니다. ‘연결된 앱’의 서비스는 계속 연결되어 있으며, 앱에서 종료할 수 있습니다.

본인이 변경하셨다면 아무것도 하지 않으셔도 됩니다. 그렇지 않다면 지금 바로 앱의 로그인 화면에서 비밀번호를 재설정하세요.`,
      sms: '[Companion] 비밀번호가 변경되었습니다. 본인이 아니라면 지금 바로 비밀번호를 재설정하세요.',
    },
    email_change_requested: {
      subject: 'Companion 계정의 이메일 주소 변경이 요청되었습니다',
      text: `Companion 계정의 이메일 주소를 다른 주소로 변경하는 요청이 있었습니다. 새 주소로 보낸 링크를 확인하면 변경됩니다.

본인이 요청하셨다면 아무것도 하지 않으셔도 됩니다. 그렇지 않다면 지금 바로 앱의 로그인 화면에서 비밀번호를 재설정하세요.`,
      sms: '[Companion] 계정의 이메일 주소 변경이 요청되었습니다. 본인이 아니라면 지금 바로 비밀번호를 재설정하세요.',
    },
    email_changed: {
      subject: 'Companion 계정의 이메일 주소가 변경되었습니다',
      text: `요청에 따라 Companion 운영자가 계정의 이메일 주소를 변경했습니다.

요청한 적이 없다면 Companion에 문의하세요.`,
      sms: '[Companion] 운영자가 계정의 이메일 주소를 변경했습니다. 요청한 적이 없다면 문의하세요.',
    },
    passkey_added: {
      subject: 'Companion 계정에 패스키가 추가되었습니다',
      text: `Companion 계정에 로그인할 수 있는 패스키가 추가되었습니다.

본인이 추가하셨다면 아무것도 하지 않으셔도 됩니다. 그렇지 않다면 지금 바로 로그인하여 패스키를 삭제하고 병원의 관리자에게 알리세요.`,
      sms: '[Companion] 계정에 패스키가 추가되었습니다. 본인이 아니라면 지금 바로 삭제하세요.',
    },
    account_deleted: {
      subject: 'Companion 계정이 삭제되었습니다',
      text: `Companion 계정과 계정에 등록된 자녀의 모든 기록이 삭제되었습니다. 되돌릴 수 없습니다.

삭제한 적이 없다면 Companion에 문의하세요.`,
      sms: '[Companion] 계정과 자녀의 모든 기록이 삭제되었습니다. 삭제한 적이 없다면 문의하세요.',
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
      text: `The password of your Companion account was changed. Services under “Connected apps” stay connected; you can disconnect them in the app.

If you did this, there is nothing to do. If you did not, reset your password now, on the sign-in screen of the app.`,
      sms: '[Companion] Your password was changed. If you did not do this, reset it now.',
    },
    email_change_requested: {
      subject: 'A new e-mail address was asked for in your Companion account',
      text: `Somebody who is signed in to your Companion account wants to change its e-mail address to another one. It changes when the link that was sent to the new address is confirmed.

If you did this, there is nothing to do. If you did not, reset your password now, on the sign-in screen of the app.`,
      sms: '[Companion] A new e-mail address was asked for in your account. If you did not do this, reset your password now.',
    },
    email_changed: {
      subject: 'The e-mail address of your Companion account was changed',
      text: `The operator of Companion has changed the e-mail address of your account, as was asked for.

If you did not ask for it, contact the operator.`,
      sms: '[Companion] The operator has changed the e-mail address of your account. If you did not ask for it, contact the operator.',
    },
    passkey_added: {
      subject: 'A passkey was added to your Companion account',
      text: `A passkey was added, by which one can sign in to your Companion account.

If you added it, there is nothing to do. If not, sign in now, remove the passkey, and tell an admin of your clinic.`,
      sms: '[Companion] A passkey was added to your account. If it was not you, remove it now.',
    },
    account_deleted: {
      subject: 'Your Companion account was deleted',
      text: `Your Companion account was deleted, with all records of children that were added to it. This cannot be undone.

If you did not want this, contact the operator of Companion.`,
      sms: '[Companion] Your account and all records of children added to it were deleted. If you did not want this, contact the operator.',
    },
  },
}

const namingNotices: Record<Language, Record<NamingNotice['kind'], (name: string) => NoticeTexts>> = {
  ko: {
    member_added: (name) => {
      const person = sanitizeNameForMail(name)
      const who = person ? `${person}님` : '다른 사람'
      return {
        subject: 'Companion에서 자녀의 기록을 볼 수 있는 사람이 추가되었습니다',
        text: `보내신 초대를 ${who}이 수락하여 이제 자녀의 기록을 볼 수 있습니다. 앱의 ‘접근 권한이 있는 사람’에서 언제든지 종료할 수 있습니다.

초대한 적이 없다면 앱에서 해당 권한을 종료하고, 로그인 화면에서 비밀번호를 재설정하세요.`,
        sms: `[Companion] ${who}이 자녀의 기록을 볼 수 있게 되었습니다. 초대한 적이 없다면 지금 바로 비밀번호를 재설정하세요.`,
      }
    },
    grant_added: (name) => ({
      subject: 'Companion 계정에 다른 서비스가 연결되었습니다',
      text: `이제 ‘${name}’ 서비스에서 허용하신 자녀의 기록을 볼 수 있습니다. 무엇을 언제까지 볼 수 있는지는 앱의 ‘연결된 앱’에서 확인하고 언제든지 종료할 수 있습니다.

허용한 적이 없다면 앱에서 연결을 종료하고, 로그인 화면에서 비밀번호를 재설정하세요.`,
      sms: `[Companion] ‘${name}’ 서비스가 계정에 연결되었습니다. 허용한 적이 없다면 지금 바로 비밀번호를 재설정하세요.`,
    }),
    clinic_connected: (name) => ({
      subject: 'Companion 계정에 병원이 연결되었습니다',
      text: `이제 ‘${name}’의 의료진이 연결하신 자녀의 기록을 보고 계획을 정할 수 있습니다. 누가 언제 보았는지는 앱에서 확인할 수 있으며, 연결은 언제든지 종료할 수 있습니다.

연결한 적이 없다면 앱에서 연결을 종료하고, 로그인 화면에서 비밀번호를 재설정하세요.`,
      sms: `[Companion] ‘${name}’이(가) 자녀의 기록에 연결되었습니다. 연결한 적이 없다면 지금 바로 비밀번호를 재설정하세요.`,
    }),
    clinic_disconnected: (name) => ({
      subject: 'Companion에서 병원과의 연결이 종료되었습니다',
      text: `‘${name}’에서 연결을 종료하여 의료진이 더 이상 자녀의 기록을 볼 수 없습니다. 자녀의 기록은 그대로 유지됩니다.

다시 연결하려면 앱에서 병원의 코드를 입력하세요.`,
      sms: `[Companion] ‘${name}’에서 자녀와의 연결을 종료했습니다.`,
    }),
    transfer_offered: (name) => {
      const person = sanitizeNameForMail(name)
      const who = person ? `${person}님` : '한 보호자'
      return {
        subject: 'Companion에서 자녀를 넘겨받아 달라는 요청이 왔습니다',
        text: `${who}이 함께 돌보는 자녀의 Companion 기록을 넘겨주려고 합니다. 7일 안에 앱에서 수락하면 기록을 관리하는 보호자가 되고, ${who}은 두 번째 보호자로 남습니다. 기기와 기록은 그대로 유지됩니다.

원하지 않으시면 앱에서 거절하거나 이 메일을 무시하세요. 아무것도 바뀌지 않습니다.`,
        sms: `[Companion] ${who}이 자녀의 기록을 넘겨주려고 합니다. 7일 안에 앱에서 수락할 수 있습니다.`,
      }
    },
    transfer_accepted: (name) => {
      const person = sanitizeNameForMail(name)
      const who = person ? `${person}님` : '다른 보호자'
      return {
        subject: 'Companion에서 자녀를 넘겨주었습니다',
        text: `${who}이 요청을 수락하여 이제 자녀의 Companion 기록을 관리합니다. 회원님은 두 번째 보호자로서 기록을 계속 보고, 메모를 쓰고, 알림을 받을 수 있습니다.

요청한 적이 없다면 로그인 화면에서 비밀번호를 재설정하고 Companion에 문의하세요.`,
        sms: `[Companion] ${who}이 이제 자녀의 기록을 관리합니다. 요청한 적이 없다면 지금 바로 비밀번호를 재설정하세요.`,
      }
    },
  },
  en: {
    member_added: (name) => {
      const who = sanitizeNameForMail(name) || 'Another person'
      return {
        subject: 'Somebody else can now see the records of your child in Companion',
        text: `${who} has accepted an invitation of yours, and can now see the records of your child. You can end this at any time in the app, under “People with access”.

If you invited nobody, end the access in the app, and reset your password on its sign-in screen.`,
        sms: `[Companion] ${who} can now see the records of your child. If you invited nobody, reset your password now.`,
      }
    },
    grant_added: (name) => ({
      subject: 'Another service is connected to your Companion account',
      text: `The service “${name}” can now see the records of your child that you have allowed. The app shows under “Connected apps” what it may see and until when. You can end it there at any time.

If you allowed nothing, disconnect the service in the app, and reset your password on its sign-in screen.`,
      sms: `[Companion] The service “${name}” is connected to your account. If you allowed nothing, reset your password now.`,
    }),
    clinic_connected: (name) => ({
      subject: 'A clinic is connected to your Companion account',
      text: `All who work at “${name}” can now see the records of the child that you have connected, and set its plan. The app shows who of them has looked and when. You can end the connection there at any time.

If you connected nothing, end the connection in the app, and reset your password on its sign-in screen.`,
      sms: `[Companion] “${name}” can now see the records of your child. If you connected nothing, reset your password now.`,
    }),
    clinic_disconnected: (name) => ({
      subject: 'A clinic has ended its connection with your child in Companion',
      text: `“${name}” has ended the connection: nobody who works there can see the records of your child any more. All records stay as they are.

To connect again, enter the code of the clinic in the app.`,
      sms: `[Companion] “${name}” has ended its connection with your child.`,
    }),
    transfer_offered: (name) => {
      const who = sanitizeNameForMail(name) || 'A parent'
      return {
        subject: 'A child is offered to you in Companion',
        text: `${who} wants to hand over a child to you, of whom you are a guardian in Companion. If you accept in the app within 7 days, the child belongs to your account, and ${who} stays as a guardian. The device and all records stay with the child.

If you do not want this, decline in the app, or ignore this mail: nothing changes.`,
        sms: `[Companion] ${who} wants to hand over a child to you. You can accept in the app within 7 days.`,
      }
    },
    transfer_accepted: (name) => {
      const who = sanitizeNameForMail(name) || 'A guardian'
      return {
        subject: 'Your child was handed over in Companion',
        text: `${who} has accepted your offer: the child now belongs to their account. You stay as a guardian: you can read the records, write notes and get alerts.

If you offered nothing, reset your password on the sign-in screen of the app, and contact the operator of Companion.`,
        sms: `[Companion] ${who} has accepted your child. If you offered nothing, reset your password now.`,
      }
    },
  },
}

export const noticeOf = (language: Language, notice: AccountNotice): NoticeTexts =>
  typeof notice === 'string' ? notices[language][notice] : namingNotices[language][notice.kind](notice.name)

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

/** What a link that asks for an address is about: the address of an account, or one that is to replace it. */
export type ConfirmationPurpose = 'current' | 'change'

/** Builds the mail that asks whether an address is the reader's. It names nobody: it may have gone to a stranger. */
export const confirmationMail = (
  language: Language,
  purpose: ConfirmationPurpose,
  link: string,
): { subject: string; text: string } =>
  language === 'ko'
    ? {
        subject: 'Companion 이메일 주소 확인',
        text:
          purpose === 'current'
            ? `이 주소로 Companion 계정이 등록되어 있습니다. 7일 안에 아래 링크를 열어 본인의 주소인지 알려 주세요.

${link}

계정을 만든 적이 없다면 링크에서 ‘내 주소가 아닙니다’를 선택하세요. 그러면 이 주소가 계정에서 삭제됩니다.`
            : `Companion 계정의 이메일 주소를 이 주소로 변경하려면 24시간 안에 아래 링크를 열어 확인하세요.

${link}

요청한 적이 없다면 이 메일을 무시하세요. 아무것도 바뀌지 않습니다.`,
      }
    : {
        subject: 'Is this your e-mail address? – Companion',
        text:
          purpose === 'current'
            ? `A Companion account uses this address. Open this link within 7 days, and say whether the address is yours:

${link}

If you have no account, choose “It is not mine” there: the address is then removed from the account.`
            : `To use this address for your Companion account, open this link within 24 hours and confirm it:

${link}

If you did not ask for it, ignore this mail: nothing changes.`,
      }

/** Builds the mail that tells of an erasure in 30 days. */
export const inactiveMail = (language: Language): { subject: string; text: string } =>
  language === 'ko'
    ? {
        subject: 'Companion 계정이 30일 후 삭제됩니다',
        text: `오랫동안 Companion에 로그인하지 않으셨습니다. 30일 후 계정과 계정에 등록된 자녀의 모든 기록이 삭제되며 되돌릴 수 없습니다.

계속 보관하시려면 30일 안에 로그인하세요. 더 필요하지 않다면 아무것도 하지 않으셔도 됩니다.`,
      }
    : {
        subject: 'Your Companion account will be erased in 30 days',
        text: `You have not signed in to Companion for a long time. In 30 days your account will be erased, with all records of children that were added to it. This cannot be undone.

To keep the account, sign in within 30 days. If you do not need it any more, there is nothing to do.`,
      }

/** Builds the mail to somebody who has lost access to a child. It does not name the child: mails are read by others too. */
export const accessEndedMail = (language: Language): { subject: string; text: string } =>
  language === 'ko'
    ? {
        subject: 'Companion에서 자녀 기록에 대한 접근 권한이 종료되었습니다',
        text: `공유받으신 자녀의 Companion 기록을 더 이상 볼 수 없습니다. 공유가 종료되었거나, 정해진 기간이 끝났거나, 기록이 삭제되었습니다. 지금 볼 수 있는 자녀는 앱에서 확인할 수 있습니다.

궁금한 점이 있으면 기록을 공유한 사람에게 문의하세요.`,
      }
    : {
        subject: 'You can no longer see the records of a child in Companion',
        text: `The records of a child that were shared with you in Companion are no longer open to you. The sharing was ended, its last day is over, or the records were deleted. The app shows the children whose records you can see now.

If you have a question, ask the person who shared the records with you.`,
      }

interface InvitationParts {
  link: string
  /** The name of the person who invites, as they have written it. */
  inviter: string
  role: 'guardian' | 'viewer'
  /** The last day, or null without one. */
  until: string | null
}

/**
 * A name for a mail to somebody who has not asked for it: at most 40 characters, and nothing that a mail program would turn
 * into a link. Otherwise anybody could send advertisements by way of this service.
 */
export const sanitizeNameForMail = (name: string): string =>
  Array.from(characters.segment(name.replaceAll(HARMFUL, ' ').trim()), ({ segment }) => segment)
    .slice(0, 40)
    .join('')

/** All but letters, digits, and what joins the parts of a name in Hebrew, Tibetan, Chinese, Persian and other scripts. */
const HARMFUL = /[^\p{L}\p{M}\p{N} '’\-\u00B7\u05BE\u05F3\u05F4\u0F0B\u30FB\u200C\u200D]+/gu
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Builds the mail with the link of an invitation. It does not name the child, as its link does: mails are read by others too. */
export function invitationMail(
  language: Language,
  { link, inviter, role, until }: InvitationParts,
): { subject: string; text: string } {
  const name = sanitizeNameForMail(inviter)
  return language === 'ko'
    ? {
        subject: 'Companion 초대',
        text: `${name || '한 보호자'}님이 자녀의 Companion 기록을 함께 볼 수 있도록 초대했습니다. ${
          role === 'guardian'
            ? '두 번째 보호자로서 기록을 보고, 메모를 쓰고, 알림을 받을 수 있습니다.'
            : '기록을 볼 수 있으며 변경할 수는 없습니다.'
        }
기간: ${until ? `${until}까지` : '정해진 종료일 없음'}

7일 안에 아래 링크를 열면 앱에서 수락하는 방법을 볼 수 있습니다.

${link}

링크는 한 번만 사용할 수 있습니다. 보낸 사람을 모르신다면 이 메일을 무시하세요.`,
      }
    : {
        subject: 'An invitation to Companion',
        text: `${name || 'A parent'} invites you to the records of their child in Companion. ${
          role === 'guardian'
            ? 'As a second guardian, you would read them, write notes and get alerts.'
            : 'You would read them, and change nothing.'
        }
Until: ${until ?? 'no end is set'}

Open this link within 7 days. It shows how to accept in the app:

${link}

It works once. If you do not know the sender, ignore this mail.`,
      }
}

/** Builds the mail with the link of an invitation to work in a clinic. */
export const clinicInvitationMail = (
  language: Language,
  { link, clinic }: { link: string; clinic: string },
): { subject: string; text: string } =>
  language === 'ko'
    ? {
        subject: `${clinic}에서 Companion에 초대했습니다`,
        text: `‘${clinic}’에서 Companion에 연결된 아이들의 기록을 함께 볼 수 있도록 초대했습니다. 7일 안에 아래 링크를 열어 패스키를 만드세요. 비밀번호는 필요하지 않습니다.

${link}

링크는 한 번만 사용할 수 있습니다. 그곳에서 일하지 않으신다면 이 메일을 무시하세요.`,
      }
    : {
        subject: `${clinic} invites you to Companion`,
        text: `“${clinic}” invites you to see the records of the children who are connected with it in Companion. Open this link within 7 days, and make a passkey there. You need no password:

${link}

It works once. If you do not work there, ignore this mail.`,
      }

/** Builds the mail to the people behind a service whose webhook has failed for a day, or has answered 410 (`isGone`). */
export const webhookDisabledMail = ({
  name,
  url,
  isGone,
}: {
  name: string
  url: string
  isGone: boolean
}): { subject: string; text: string } => ({
  subject: `The Companion webhook of ${name} is disabled`,
  text: `${isGone ? `This webhook of ${name} has answered 410 (Gone)` : `Companion could not reach this webhook of ${name} for 24 hours`}:

${url}

It is not told of changes any more. Nothing is lost: ask for the changes since your last cursor. When the receiver works again, enable the webhook with POST /api/v1/beta/webhook/{webhook_id}/enable.`,
})
