import { router } from '../http/endpoint.ts'
import { exportPdf } from './export-pdf.ts'
import { pdf } from './pdf.ts'

/** Reports as PDF. */
export const reports = router({ pdf, exportPdf })
