import type { ConfirmationPurpose, Language } from '../../delivery/messages.ts'
import { escaped, renderPage } from '../../http/html-page.ts'

/** What the page shows: the question about a link, or how it ended. */
export type ConfirmationPageState =
  | ConfirmationPurpose
  | 'confirmed'
  | 'rejected'
  | 'taken'
  | 'unknown'
  | 'failed'

type End = Exclude<ConfirmationPageState, ConfirmationPurpose>

interface Words {
  question: Record<ConfirmationPurpose, readonly [heading: string, text: string]>
  mine: string
  notMine: string
  end: Record<End, readonly [heading: string, advice: string]>
}

const words: Record<Language, Words> = {
  en: {
    question: {
      current: [
        'Is this address yours?',
        'A Companion account uses the e-mail address that this link was sent to. Confirm it if you made the account. If you did not, say so, and the address is removed from the account.',
      ],
      change: [
        'Use this address?',
        'Somebody wants to use the e-mail address that this link was sent to for their Companion account. Confirm it if that is you.',
      ],
    },
    mine: 'Yes, it is mine',
    notMine: 'It is not mine',
    end: {
      confirmed: ['Your address is confirmed', 'There is nothing else to do. You can close this page.'],
      rejected: [
        'The address is not used',
        'Thank you. No Companion account uses your address by this link any more. You can close this page.',
      ],
      taken: [
        'The address belongs to another account',
        'Another account has taken this address since the mail was sent. Choose another one in the app.',
      ],
      unknown: [
        'This link does not work any more',
        'It has been used, it is too old, or a newer mail has replaced it. The app can send you another one.',
      ],
      failed: ['That did not work', 'Please open the link again in a minute.'],
    },
  },
  ko: {
    question: {
      current: [
        '본인의 이메일 주소가 맞나요?',
        '이 링크를 받은 주소로 Companion 계정이 등록되어 있습니다. 직접 만든 계정이라면 확인해 주세요. 그렇지 않다면 아래에서 알려 주세요. 그러면 이 주소가 계정에서 삭제됩니다.',
      ],
      change: [
        '이 이메일 주소를 사용할까요?',
        'Companion 계정의 이메일 주소를 이 링크를 받은 주소로 변경하려고 합니다. 본인이 요청하셨다면 확인해 주세요.',
      ],
    },
    mine: '네, 내 주소입니다',
    notMine: '내 주소가 아닙니다',
    end: {
      confirmed: ['이메일 주소가 확인되었습니다', '더 하실 일은 없습니다. 이 페이지를 닫으셔도 됩니다.'],
      rejected: [
        '이 주소는 사용되지 않습니다',
        '알려 주셔서 감사합니다. 이제 이 링크의 Companion 계정은 회원님의 주소를 사용하지 않습니다. 이 페이지를 닫으셔도 됩니다.',
      ],
      taken: [
        '다른 계정에서 사용하는 주소입니다',
        '메일을 보낸 뒤 다른 계정에서 이 주소를 사용하기 시작했습니다. 앱에서 다른 주소를 선택하세요.',
      ],
      unknown: [
        '더 이상 사용할 수 없는 링크입니다',
        '이미 사용했거나, 기간이 지났거나, 새 메일로 대체된 링크입니다. 앱에서 새 메일을 받을 수 있습니다.',
      ],
      failed: ['처리하지 못했습니다', '잠시 후 링크를 다시 열어 주세요.'],
    },
  },
}

/** The whole page, as HTML. */
export function renderConfirmationPage(
  language: Language,
  state: ConfirmationPageState,
  token: string,
): string {
  const said = words[language]
  if (state !== 'current' && state !== 'change') {
    const [heading, advice] = said.end[state]
    return renderPage(language, heading, `<p>${advice}</p>`)
  }
  const [heading, text] = said.question[state]
  // The action is relative: the service may live below a path of its host.
  return renderPage(
    language,
    heading,
    `<p>${text}</p>
<form method="post" action="confirm-email">
<input type="hidden" name="token" value="${escaped(token)}">
<button name="is_mine" value="true">${said.mine}</button>
<button name="is_mine" value="false" class="quiet">${said.notMine}</button>
</form>`,
  )
}
