import type { Language } from '../delivery/messages.ts'
import { escaped, renderPage } from '../http/html-page.ts'
import type { MemberRole } from './member.ts'

/** What an open invitation offers. */
export interface ShownInvitation {
  /** First names. */
  owner: string
  child: string
  role: MemberRole
  /** The last day, or null without one. */
  until: string | null
}

interface Words {
  title: (owner: string) => string
  offer: (child: string) => string
  role: Record<MemberRole, string>
  until: string
  /** The last day in words; `undefined` without one. */
  end: (date: Date | undefined) => string
  open: string
  how: string
  code: string
  /** Heading and advice of a link that leads nowhere, and of a failure of the service. */
  gone: readonly [heading: string, advice: string]
  failed: readonly [heading: string, advice: string]
}

const words: Record<Language, Words> = {
  en: {
    title: (owner) => `${owner} invites you`,
    offer: (child) => `You are invited to the records of ${child} in Companion.`,
    role: {
      guardian:
        'As a second guardian: you see charts, calendar, reports and surveys, write notes, answer surveys and get alerts.',
      viewer: 'As a viewer: you see charts, calendar, reports and surveys, and change nothing.',
    },
    until: 'Until',
    end: (date) =>
      date
        ? new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(date)
        : 'No end is set',
    open: 'Open in the app',
    how: 'You need the Companion app and an account of your own. If the button does not open the app, install it, sign in or sign up, choose “Accept an invitation”, and paste this code:',
    code: 'Invitation code',
    gone: [
      'This invitation is not open',
      'It was accepted or withdrawn, is older than seven days, or the link is not complete. Open the link in the mail again, or ask for a new invitation.',
    ],
    failed: ['That did not work', 'Please open the link again in a minute.'],
  },
  ko: {
    title: (owner) => `${owner}님의 초대`,
    offer: (child) => `${child}의 컴패니언 기록을 함께 볼 수 있도록 초대받으셨습니다.`,
    role: {
      guardian:
        '두 번째 보호자: 추이, 달력, 보고서, 설문을 보고, 메모를 쓰고, 설문에 답하고, 알림을 받을 수 있습니다.',
      viewer: '열람자: 추이, 달력, 보고서, 설문을 볼 수 있으며 변경할 수는 없습니다.',
    },
    until: '기간',
    end: (date) =>
      date
        ? `${new Intl.DateTimeFormat('ko-KR', { dateStyle: 'long', timeZone: 'UTC' }).format(date)}까지`
        : '정해진 종료일 없음',
    open: '앱에서 열기',
    how: '컴패니언 앱과 본인 계정이 필요합니다. 버튼을 눌러도 앱이 열리지 않으면 앱을 설치하고 로그인하거나 가입한 뒤 ‘초대 수락’을 선택하고 아래 코드를 붙여 넣으세요.',
    code: '초대 코드',
    gone: [
      '열 수 없는 초대입니다',
      '이미 수락되었거나 취소되었거나, 7일이 지났거나, 링크가 올바르지 않습니다. 메일에 있는 링크를 다시 열거나 새 초대를 요청하세요.',
    ],
    failed: ['처리하지 못했습니다', '잠시 후 링크를 다시 열어 주세요.'],
  },
}

/** The address by which the app opens an invitation itself. */
const appLink = (token: string) => `companion://invitation?token=${encodeURIComponent(token)}`

/** The page of an open invitation, as HTML. */
export function renderInvitation(language: Language, token: string, offered: ShownInvitation): string {
  const said = words[language]
  const { owner, child, role, until } = offered
  return renderPage(
    language,
    escaped(said.title(owner)),
    `<p>${escaped(said.offer(child))}</p>
<p>${said.role[role]}</p>
<p><strong>${said.until}:</strong> ${said.end(until === null ? undefined : new Date(until))}</p>
<a class="button" href="${escaped(appLink(token))}">${said.open}</a>
<p class="how" id="how">${said.how}</p>
<code class="code" aria-label="${said.code}">${escaped(token)}</code>`,
  )
}

/** The page of a link that leads nowhere, or of a failure of the service, as HTML. */
export function renderNoInvitation(language: Language, reason: 'gone' | 'failed'): string {
  const [heading, advice] = words[language][reason]
  return renderPage(language, heading, `<p>${advice}</p>`)
}
