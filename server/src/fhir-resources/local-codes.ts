/*
 * The codes of our FHIR resources for which neither LOINC nor another standard has one. LOINC has one for the temperature of a
 * room; its codes of intensity, wear and movement are about other things than this device measures.
 */

/** By code: what it is called, and what it means. */
export const localCodes = {
  'device-use': ['Use of the device', 'One use of the wearable, as its log says'],
  'start-time': ['Start', "The time of day at which it began, by the device's own clock"],
  duration: ['Duration', 'How long it lasted'],
  'last-intensity': ['Last intensity', "The last intensity, in the device's own unit"],
  movement: ['Movement', 'Movement as the device counted it'],
  'end-reason': ['End', 'Why it ended'],
  'log-number': ['Log number', "The device's own number of the log"],
  intensities: ['Intensities', "The intensity every 6 minutes from the start, in the device's own unit"],
  'sleep-environment': ['Sleep environment', 'Means of air, light and noise around the bed on one date'],
  readings: ['Readings', 'How many readings the means are of'],
  humidity: ['Humidity', 'Mean relative humidity of the room'],
  brightness: ['Brightness', "Mean, in the base station's own unit"],
  noise: ['Noise', "Mean, in the base station's own unit"],
  bedtime: ['Bedtime', 'When the child should go to bed'],
  note: ["Parent's note", 'What a parent or another guardian wrote about a day'],
  'hospital-visit': ['Hospital visit', 'A hospital that the child visited, as a parent wrote it'],
  'usage-report': ['Usage report', 'A report of the use of the device in one month'],
  'end-1': ['Normal shutdown', 'finish_flag 1'],
  'end-2': ['Button shutdown', 'finish_flag 2'],
  'end-3': ['App shutdown', 'finish_flag 3'],
  'end-4': ['Faulty contacts shutdown', 'finish_flag 4'],
  'end-5': ['VBUS shutdown', 'finish_flag 5'],
  'end-6': ['Factory shutdown', 'finish_flag 6'],
} as const satisfies Record<string, readonly [display: string, definition: string]>

export type LocalCode = keyof typeof localCodes
