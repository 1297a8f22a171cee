import { useColorScheme } from 'react-native'
import { day, night } from './palette'

/** The palette for the colour scheme of the device. */
export const usePalette = () => (useColorScheme() === 'dark' ? night : day)
