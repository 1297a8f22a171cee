import { weekday } from '../../time/wall-clock.ts'
import { dateParts } from './words.ts'
import type { Words } from './words.ts'

const weekdays = ['일', '월', '화', '수', '목', '금', '토'] as const

const date = (text: string) => {
  const { year, month, day } = dateParts(text)
  return `${year}년 ${month}월 ${day}일`
}

const shortDate = (text: string) => `${dateParts(text).month}. ${dateParts(text).day}.`

/** Whose a goal is. */
const setters = { service: '서비스 설정값', parent: '보호자가 세운 계획', clinic: '병원에서 세운 계획' }

export const kr: Words = {
  tag: 'ko-KR',
  title: '사용 보고서',
  documentTitle: (name) => `사용 보고서: ${name}`,
  birth: '생년월일',
  born: (birthdate, age) => `${date(birthdate)} (만 ${age}세)`,
  gender: { M: '남', F: '여', N: '논바이너리', P: '' },
  period: '기간',
  days: (count) => `${count}일`,
  station: '베이스 스테이션',
  device: '기기',
  deviceWorn: (serial, firmware) => (firmware === null ? serial : `${serial}, 펌웨어 ${firmware}`),
  since: (first, last) => (last === null ? `${date(first)}부터` : `${date(first)} – ${date(last)}`),
  moreDevices: (count) => `외 이전 변경 ${count}건`,
  noDevice: '없음',
  records: '기록',
  recordsFor: (nights, counted) => `${counted}밤 중 ${nights}밤`,
  lastUpload: (time) => `마지막 전송 ${time}`,
  noUpload: '아직 전송된 기록 없음',
  counting: {
    days: (nights, counted) => `${nights}밤 중 ${counted}밤만 통계에 넣습니다.`,
    unpaired: (nights, firstEvening) =>
      `${nights}밤은 기기를 연결하거나 첫 기록이 생기기(${date(firstEvening)}) 전입니다.`,
    ahead: (nights) => `${nights}밤은 아직 끝나지 않았습니다.`,
    brief: (withData, used) =>
      `기록이 있는 ${withData}밤 중 ${withData - used}밤은 사용 시간이 2분 미만이어서 사용한 밤은 ${used}밤입니다.`,
  },
  made: '발행',
  madeAtFormat: 'YYYY년 M월 D일 HH:mm',
  checkCode: (code, address) => `확인 코드 ${code}. 확인하는 곳 ${address}`,
  page: (page, pages) => `${page} / ${pages}쪽`,

  date: (text) => `${date(text)} (${weekdays[weekday(text)]})`,
  range: (first, last) => `${date(first)} – ${date(last)}`,
  shortDate,
  dayAndWeekday: (text) => `${shortDate(text)} (${weekdays[weekday(text)]})`,
  shortMonth: (text) => `${dateParts(text).month}월`,
  month: (text) => `${dateParts(text).year}년 ${dateParts(text).month}월`,
  weekdays,
  hoursAndMinutes: (hours, minutes) => `${hours.toLocaleString('en-US')}시간 ${minutes}분`,
  hours: (hours) => `${hours}시간`,

  glance: {
    title: '한눈에 보기',
    nightsUsed: '사용한 밤',
    ofNights: (nights, counted) => `${nights}밤 / ${counted}밤`,
    ofNightsBefore: (nights, counted, percent) => `${nights}밤 / ${counted}밤 (${percent}%)`,
    share: (percent) => `통계에 넣은 밤의 ${percent}%`,
    nightsAtGoal: '목표를 달성한 밤',
    longestGap: '가장 긴 공백',
    gap: (nights) => `${nights}밤`,
    meanTime: '평균 사용 시간',
    perNight: (nights) => `사용한 ${nights}밤 기준`,
    meanTimeOfAll: '모든 밤 평균',
    medianTime: '사용 시간 중앙값',
    totalTime: '총 사용 시간',
    usualStart: '평소 시작 시각',
    meanIntensity: '평균 강도',
    meanMovement: '평균 움직임',
    contactLosses: '접촉 불량 종료',
    lossNights: (nights, aNight) => `${nights}밤에 발생, 사용한 밤마다 ${aNight}회`,
    lossesANight: (losses) => `사용한 밤마다 ${losses}회`,
    goal: '하룻밤 목표',
    survey: '증상 점수, 첫 설문 → 마지막 설문',
    fromTo: (first, last) => `${first} → ${last}`,
    otherScores: (attention, impulsivity) => `주의력 ${attention}, 충동성 ${impulsivity}`,
    verdict: { better: '좋아짐', worse: '나빠짐', same: '변화 없음' },
    none: '–',
    before: (value) => `이전: ${value}`,
  },
  comparedWith: (days) =>
    `‘이전’은 이 기간 바로 앞 ${days}밤의 값입니다. ‘좋아짐’과 ‘나빠짐’은 두 기간 모두 80% 이상의 밤을 통계에 넣을 때만 표시합니다.`,
  contents: {
    notes: ({ notes, medication, hospital, page }) =>
      notes === 0
        ? '메모 없음.'
        : `${[
            `메모 ${notes}건`,
            ...(medication > 0 ? [`복약 ${medication}건`] : []),
            ...(hospital > 0 ? [`진료 ${hospital}건`] : []),
          ].join(', ')}: ${page}쪽.`,
    surveys: (surveys, page) => (surveys === 0 ? '설문 없음.' : `설문 ${surveys}건: ${page}쪽.`),
    none: '메모와 설문 없음.',
  },
  notCompared: '이 기간 앞에는 통계에 넣을 밤이 없어 비교하지 않습니다.',
  nothingRecorded: '이 기간에는 사용 기록이 없습니다.',
  notBegun: '이 기간은 아직 시작되지 않았습니다.',
  usage: {
    title: '날짜별 사용 시간',
    axis: '시간',
    mean: (time) => `날짜별 평균 ${time}`,
    goal: (time) => `하룻밤 목표 ${time}`,
    summary: '날짜별 사용 시간 막대그래프',
  },
  intensity: {
    title: '강도',
    axis: '마지막 강도의 날짜별 평균 (단계, 단위 없음)',
    mean: (value) => `평균 ${value}`,
    summary: '날짜별 강도 점그래프',
  },
  movement: {
    title: '움직임',
    axis: '날짜별 합계 (단위 없음)',
    mean: (value) => `평균 ${value}`,
    summary: '날짜별 움직임 막대그래프',
  },
  byWeek: (title) => `${title} (주별 평균)`,
  strips: {
    title: '저녁부터 아침까지',
    continued: '계속',
    explained: '한 줄은 기기 시계로 하룻밤이며, 그날 정오부터 다음 날 정오 전까지 시작한 사용을 표시합니다.',
    intensity: '강도',
    unknown: '사용(강도 기록 없음)',
    loss: '접촉 불량 종료',
    running: '이 보고서를 만들 때 사용 중',
    cutShort: '종료됨, 마지막 기록이 도착하지 않음',
    note: '메모 있음',
    none: '기록 없음',
  },
  sleep: {
    title: '수면 환경',
    temperature: '온도 (°C)',
    humidity: '습도 (%)',
    brightness: '밝기',
    noise: '소음',
    sensorValue: '센서 값',
    note: (station) => `베이스 스테이션 ${station}의 측정값을 날짜별로 평균한 값입니다.`,
  },
  legend: {
    noRecord: '기록 없음',
    contactLoss: '접촉 불량 종료',
    contactLosses: '한 주의 접촉 불량 종료 횟수',
    noReading: '측정값 없음',
  },
  calendar: {
    title: '사용 달력',
    used: '사용함',
    noRecord: '기록 없음',
    brief: '2분 미만',
    loss: '접촉 불량 종료',
    note: '메모 있음',
    explained:
      '2분 이상 사용한 날(임시 기록 포함)을 사용한 날로 봅니다. 흐린 날은 통계에 넣지 않는 날(기간 밖, 기기 연결 전, 아직 끝나지 않은 날)입니다.',
  },
  notes: {
    title: '복약·진료·메모',
    medication: '복약',
    dose: (dose) => `용량 ${dose}`,
    more: (count) => `외 ${count}건`,
    hospital: '진료',
    memo: '메모',
    continued: '계속',
    explained:
      '날짜 아래는 메모가 가리키는 밤과 그 밤의 사용 시간입니다. 정오 전에 쓴 메모는 전날 밤의 것으로 봅니다.',
    night: (evening, morning) => `${evening} – ${morning} 밤`,
  },
  surveys: {
    title: '설문 점수',
    date: '날짜',
    attention: '주의력',
    impulsivity: '충동성',
    disorder: '증상',
    explained: '점수의 척도는 설문지의 척도를 그대로 따릅니다. 증상 점수는 낮을수록 좋습니다.',
  },
  table: {
    title: '날짜별 기록',
    explained: '기록이나 측정값이 없는 칸은 –로 표시하고, 둘 다 없는 날짜는 생략합니다.',
    date: '날짜',
    uses: '횟수',
    start: '시작',
    time: ['사용', '시:분'],
    intensity: '강도',
    movement: '움직임',
    losses: ['접촉', '불량'],
    temperature: ['온도', '°C'],
    humidity: ['습도', '%'],
    brightness: '밝기',
    noise: '소음',
  },
  weeks: {
    title: '주별 기록',
    explained:
      '한 주는 일요일부터 토요일까지입니다. 사용한 밤·목표·사용·접촉 불량은 밤 기준, 다른 값은 날짜 기준입니다. 사용은 사용한 밤의 평균, 값은 기록이 있는 날의 평균이며, 없으면 –로 표시합니다.',
    dates: (first, last) => `${dateParts(first).year}. ${shortDate(first)} – ${shortDate(last)}`,
    week: '주',
    used: ['사용한', '밤'],
    atGoal: ['목표', '달성'],
  },
  reading: {
    title: '보고서 보는 법',
    lines: (goals) => [
      '하룻밤은 기기 시계로 정오부터 다음 날 정오까지이며 저녁의 날짜로 부릅니다. 2분 이상 사용했거나 사용 중이면 사용한 밤이고, 그 사용 시간을 더합니다.',
      '위의 수치는 강도와 움직임 말고는 모두 밤 기준입니다. 강도와 움직임, 그래프, 달력, 날짜별 표는 사용을 시작한 날짜를 따르므로 자정이 지나 시작한 사용은 다음 날짜에 속합니다. 모든 밤 평균은 기록이 없는 밤을 0으로 계산합니다.',
      '기록 없음(축 아래의 회색 띠)은 0을 뜻하지 않습니다. 기기를 켜지 않았거나 기록이 아직 전송되지 않은 밤이나 날짜입니다. 오늘 밤은 아직 통계에 넣지 않습니다.',
      '강도는 기기가 작동한 단계이고 움직임은 자녀가 움직인 정도를 기기가 더한 값으로, 둘 다 단위가 없습니다. 같은 자녀의 기록끼리만 비교하세요.',
      `하룻밤 목표: ${goals}.`,
    ],
    goal: (goal, setBy) => `${goal} (${setters[setBy]})`,
    goalFrom: (evening, goal) => `${date(evening)}부터 ${goal}`,
    moreGoals: (count) => `이전 목표 ${count}개는 생략`,
  },
  replaced: (sign) => `${sign} 이 페이지에는 이 보고서의 글꼴로 나타낼 수 없는 문자가 있습니다.`,
}
