import { router } from '../http/endpoint.ts'
import { exportReport } from './export-report.ts'
import { readReport } from './read-report.ts'

export const reports = router({ pdf: readReport, exportPdf: exportReport })
