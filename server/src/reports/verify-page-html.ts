import type { Language } from '../delivery/messages.ts'
import { escaped, renderPage } from '../http/html-page.ts'
import { wordsFor } from './languages/index.ts'
import { zonedMomentText } from './languages/moments.ts'
import type { ReportIdentity, Verdict } from './seal.ts'

/** Where parents and clinics verify a report in a browser. */
export const VERIFY_PAGE_PATH = '/verify'

/** What the page says: nothing yet, or of a file. */
export type VerifyState = Verdict['state'] | 'ask' | 'absent' | 'large' | 'busy'

type Words = Record<Exclude<VerifyState, 'ask'>, readonly [heading: string, text: string]> & {
  title: string
  about: string
  label: string
  button: string
  again: string
  /** Before the name of whose report it is. */
  child: string
  code: string
  compare: string
}

const words: Record<Language, Words> = {
  en: {
    title: 'Verify a report',
    about:
      'Choose the PDF file of a report. This page says whether this service made it and nobody has changed it. The file is not kept.',
    label: 'Report (PDF, at most 10 MB)',
    button: 'Verify',
    again: 'Verify another report',
    child: 'Child',
    code: 'Check code',
    compare:
      'The same code is at the foot of each page. A printed page with another code, name or period is not of this file.',
    made: ['The report is genuine', 'This service made it, and it is unchanged.'],
    changed: [
      'The report is not genuine',
      'Its seal does not fit: the file was changed after it was made, or another service made it. Ask the family for the original.',
    ],
    unknown: [
      'Not a report of this service',
      'The file has no seal. It is another document, or a program has written it again. Ask the family for the original.',
    ],
    absent: ['No file arrived', 'Please choose a file and try again.'],
    large: ['The file is too large', 'A report has at most 10 MB.'],
    busy: ['Please try again', 'Too many reports are being verified at this moment.'],
  },
  ko: {
    title: '보고서 확인',
    about:
      '보고서 PDF 파일을 선택하세요. 이 서비스가 만든 보고서인지, 변경되지 않았는지 알려 드립니다. 파일은 저장되지 않습니다.',
    label: '보고서 (PDF, 최대 10 MB)',
    button: '확인',
    again: '다른 보고서 확인',
    child: '자녀',
    code: '확인 코드',
    compare:
      '각 페이지 아래에 같은 코드가 있습니다. 코드, 이름, 기간 가운데 하나라도 다른 인쇄물은 이 파일의 것이 아닙니다.',
    made: ['진본 보고서입니다', '이 서비스가 만들었으며 변경되지 않았습니다.'],
    changed: [
      '진본이 아닙니다',
      '봉인이 맞지 않습니다. 파일이 만들어진 뒤 변경되었거나 다른 서비스가 만든 것입니다. 가족에게 원본을 요청하세요.',
    ],
    unknown: [
      '이 서비스의 보고서가 아닙니다',
      '파일에 봉인이 없습니다. 다른 문서이거나 다른 프로그램이 다시 저장한 파일입니다. 가족에게 원본을 요청하세요.',
    ],
    absent: ['파일이 도착하지 않았습니다', '파일을 선택하고 다시 시도해 주세요.'],
    large: ['파일이 너무 큽니다', '보고서는 최대 10 MB입니다.'],
    busy: ['다시 시도해 주세요', '지금 너무 많은 보고서를 확인하고 있습니다.'],
  },
}

/** The page as HTML, with what a genuine file says of itself. */
export function renderVerifyPage(
  language: Language,
  { state, code, report }: { state: VerifyState; code?: string; report?: ReportIdentity },
): string {
  const said = words[language]
  if (state === 'made' && code !== undefined) {
    const [heading, text] = said.made
    const facts = report ? [[said.child, report.child] as const, ...factsOf(report, language)] : []
    return renderPage(
      language,
      heading,
      `<p>${text}</p>
${facts.map(([label, fact]) => `<p><strong>${label}:</strong> ${escaped(fact)}</p>`).join('\n')}
<p><strong id="code">${said.code}:</strong> <code>${escaped(code)}</code></p>
<p>${said.compare}</p>
<a class="button" href="${VERIFY_PAGE_PATH}">${said.again}</a>`,
    )
  }
  const [heading, text] = state === 'ask' ? [said.title, said.about] : said[state]
  return renderPage(
    language,
    heading,
    `<p${state === 'ask' ? '' : ' role="alert"'}>${text}</p>
<form method="post" enctype="multipart/form-data">
<label for="report">${said.label}</label>
<input id="report" type="file" name="report" accept="application/pdf,.pdf" required>
<button>${said.button}</button>
</form>`,
  )
}

/** The period of a report and when it was made, in the words of the report. */
export function factsOf(
  { first, last, made_at, time_zone }: ReportIdentity,
  language: Language,
): (readonly [label: string, fact: string])[] {
  const said = wordsFor[language]
  return [
    [said.period, said.range(first, last)],
    [said.made, zonedMomentText(made_at, time_zone, said)],
  ]
}
