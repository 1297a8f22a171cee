import AsyncStorage from '@react-native-async-storage/async-storage'
import { createReportStore } from './kept-reports'

export const reports = createReportStore(AsyncStorage)
