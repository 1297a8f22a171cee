import AsyncStorage from '@react-native-async-storage/async-storage'
import { keptReports } from './kept-reports'

export const reports = keptReports(AsyncStorage)
