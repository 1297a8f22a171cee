/** The streaming writer alone; exceljs declares its types for the whole library only. */
declare module 'exceljs/lib/stream/xlsx/workbook-writer.js' {
  import type { stream } from 'exceljs'
  export default class WorkbookWriter extends stream.xlsx.WorkbookWriter {}
}
