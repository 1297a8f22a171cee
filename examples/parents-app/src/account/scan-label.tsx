export { ScanByCamera as ScanLabel } from './scan-by-camera'
