import { weekday } from '../../time/wall-clock.ts'
import { parts } from './words.ts'
import type { Words } from './words.ts'

const weekdays = ['일', '월', '화', '수', '목', '금', '토'] as const

const date = (text: string) => {
  const { year, month, day } = parts(text)
  return `${year}년 ${month}월 ${day}일`
}

export const kr: Words = {
  tag: 'ko-KR',
  title: '사용 보고서',
  documentTitle: (name) => `사용 보고서: ${name}`,
  born: (birthdate, age) => `${date(birthdate)}생 (만 ${age}세)`,
  gender: { M: '남', F: '여', N: '논바이너리', P: '' },
  period: '기간',
  nights: (count) => `${count}일`,
  station: '베이스 스테이션',
  made: '작성',
  madeAtFormat: 'YYYY년 M월 D일 HH:mm',
  page: (page, pages) => `${page} / ${pages}쪽`,

  date: (text) => `${date(text)} (${weekdays[weekday(text)]})`,
  range: (first, last) => `${date(first)} – ${date(last)}`,
  shortDate: (text) => `${parts(text).month}. ${parts(text).day}.`,
  shortMonth: (text) => `${parts(text).month}월`,
  month: (text) => `${parts(text).year}년 ${parts(text).month}월`,
  weekdays,
  hoursAndMinutes: (hours, minutes) => `${hours}시간 ${minutes}분`,

  glance: {
    title: '한눈에 보기',
    nightsUsed: '사용한 밤',
    ofPossible: (used, possible) => `${used} / ${possible}`,
    share: (percent) => `가능한 밤의 ${percent}%`,
    meanTime: '평균 사용 시간',
    perNight: (nights) => `기록이 있는 ${nights}일 기준`,
    totalTime: '총 사용 시간',
    usualStart: '평소 시작 시각',
    usualStartNote: '잠자리 시작 시각의 중앙값',
    meanIntensity: '평균 강도',
    contactFaults: '접촉 불량 종료',
    faultNights: (nights) => `${nights}일에 발생`,
    none: '–',
  },
  nothingRecorded: '이 기간에는 사용 기록이 없습니다.',
  notBegun: '이 기간은 아직 시작되지 않았습니다.',
  usage: {
    title: '날짜별 사용 시간',
    axis: '시간',
    mean: (time) => `평균 ${time}`,
    summary: '날짜별 사용 시간 막대그래프',
  },
  intensity: {
    title: '강도',
    axis: '마지막 강도의 날짜별 평균 (단계)',
    mean: (value) => `평균 ${value}`,
    summary: '날짜별 강도 점그래프',
  },
  movement: {
    title: '움직임',
    axis: '날짜별 합계 (회)',
    mean: (value) => `평균 ${value}`,
    summary: '날짜별 움직임 막대그래프',
  },
  sleep: {
    title: '수면 환경',
    temperature: '온도 (°C)',
    humidity: '습도 (%)',
    brightness: '밝기',
    noise: '소음',
    sensorValue: '센서 값',
    note: (station) => `베이스 스테이션 ${station}의 측정값을 날짜별로 평균한 값입니다.`,
    none: '이 기간에는 수면 환경 측정값이 없습니다.',
  },
  legend: { noRecord: '기록 없음', contactFault: '접촉 불량 종료', noReading: '측정값 없음' },
  calendar: {
    title: '사용 달력',
    used: '사용함',
    unused: '사용 안 함',
    fault: '접촉 불량 종료',
    note: '메모 있음',
    explained:
      '2분 이상 사용한 날(임시 기록 포함)을 사용한 날로 봅니다. 흐린 날은 기간 밖이거나 아직 오지 않은 날입니다.',
  },
  notes: {
    title: '복약·진료·메모',
    medication: '복약',
    dose: (dose) => `용량 ${dose}`,
    more: (count) => `외 ${count}건`,
    hospital: '진료',
    memo: '메모',
    continued: '계속',
    none: '이 기간에는 메모가 없습니다.',
  },
  surveys: {
    title: '설문 점수',
    date: '날짜',
    attention: '주의력',
    impulsivity: '충동성',
    disorder: '장애',
    explained: '점수의 척도는 설문지의 척도를 그대로 따릅니다.',
    none: '이 기간에는 설문이 없습니다.',
  },
  table: {
    title: '모든 밤',
    explained: '기록이나 측정값이 없는 칸은 –로 표시합니다.',
    date: '날짜',
    uses: '횟수',
    start: '시작',
    time: ['사용', '시:분'],
    intensity: '강도',
    movement: '움직임',
    faults: ['접촉', '불량'],
    temperature: ['온도', '°C'],
    humidity: ['습도', '%'],
    brightness: '밝기',
    noise: '소음',
  },
  reading: {
    title: '읽는 법',
    lines: [
      '날짜는 기기 시계로 사용을 시작한 날입니다. 자정이 지나 시작한 사용은 다음 날짜에 속합니다.',
      '하루에 여러 번 사용하면 사용 시간과 움직임은 더하고 강도는 평균합니다. 평균은 기록이 있는 날만으로 냅니다.',
      '축 아래의 회색 띠는 그날의 기록이 없다는 뜻입니다. 사용하지 않았거나 기록이 아직 전송되지 않은 날이며, 0을 뜻하지 않습니다.',
    ],
  },
  replaced: (sign) => `${sign} 이 보고서의 글꼴로 나타낼 수 없는 문자(그림 문자 등)입니다.`,
}
